import { expect, test } from "bun:test"
import { Basket, type Offer } from "./allocate.ts"

const tokensOf = (text: string) => text.length

function offer(
  slot: string,
  text: string | null,
  value: number,
  more: Partial<Offer<string>> = {},
): Offer<string> {
  return { slot, value, estimate: text?.length ?? 1, make: () => text, ...more }
}

function bought(budget: number, offers: readonly Offer<string>[]): Record<string, string> {
  const basket = new Basket(budget, tokensOf)
  basket.fill(offers)
  return Object.fromEntries([...basket.bought].map(([slot, { item }]) => [slot, item]))
}

test("what is worth most by its tokens comes first", () => {
  const offers = [offer("a", "aaaaaaaa", 4), offer("b", "bb", 2), offer("c", "cccc", 1)]
  expect(bought(10, offers)).toEqual({ b: "bb", a: "aaaaaaaa" })
  expect(bought(6, offers)).toEqual({ b: "bb", c: "cccc" })
})

test("a longer piece replaces a shorter one and is paid by the difference", () => {
  const offers = [offer("a", "a", 2), offer("a", "aaaaa", 3), offer("b", "bb", 1)]
  expect(bought(7, offers)).toEqual({ a: "aaaaa", b: "bb" })
  expect(bought(6, offers)).toEqual({ a: "a", b: "bb" })
})

test("a piece that hangs on another waits for that", () => {
  const after = offer("a/callers", "x", 100, { after: "a" })
  expect(bought(10, [after, offer("a", "aaa", 1)])).toEqual({ a: "aaa", "a/callers": "x" })
  expect(bought(10, [after])).toEqual({})
})

test("what costs more than was estimated, or turns out to be nothing, is passed over", () => {
  const offers = [offer("a", "aaaaaaaa", 9, { estimate: 1 }), offer("b", null, 5), offer("c", "cc", 1)]
  expect(bought(4, offers)).toEqual({ c: "cc" })
})

test("what is paid is counted", () => {
  const basket = new Basket(10, tokensOf)
  expect(basket.buy(offer("a", "aaa", 1))).toBe(true)
  expect(basket.buy(offer("a", "aaaaa", 1))).toBe(true)
  expect(basket.left).toBe(5)
  expect(basket.buy(offer("b", "bbbbbb", 1))).toBe(false)
})
