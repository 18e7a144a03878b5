import { expect, test } from "bun:test"
import { randomFrom } from "../../../test/random.ts"
import { mayContain, termFilter } from "./term-filters.ts"

const random = randomFrom(7)
const half = () => Math.floor(random() * 2 ** 32)
const pairs = (count: number) => Array.from({ length: count }, () => [half(), half()] as const)
const hashOf = ([hi, lo]: readonly [number, number]) => (BigInt(hi) << 32n) | BigInt(lo)

test("contains every term, and about one in a hundred others", () => {
  const [inside, outside] = [pairs(20_000), pairs(20_000)]
  const filter = termFilter(inside.length, (act) => {
    for (const [hi, lo] of inside) act(hi, lo)
  })
  expect(inside.every((pair) => mayContain(filter, hashOf(pair)))).toBe(true)
  expect(outside.filter((pair) => mayContain(filter, hashOf(pair))).length).toBeLessThan(400)
})

test("contains nothing if the index has no terms", () => {
  const filter = termFilter(0, () => {})
  expect(pairs(100).some((pair) => mayContain(filter, hashOf(pair)))).toBe(false)
})
