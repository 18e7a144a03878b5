import { expect, test } from "bun:test"
import { hideAnswer } from "./hide-answer.ts"

const hide = (text: string, paths: string[], identifiers: string[] = []) =>
  hideAnswer(text, { paths, identifiers })

test("paths, file names and compound stems are taken out", () => {
  const text = "src/pay/cart-total.ts rounds wrongly, see cart-total.ts and cart-total"
  expect(hide(text, ["src/pay/cart-total.ts"])).toBe("rounds wrongly, see and")
  expect(hide("cartTotal is wrong", ["src/cartTotal.ts"])).toBe("is wrong")
})

test("an identifier is taken out in any case when it is compound", () => {
  expect(hide("computeTotal() and COMPUTETOTAL fail", [], ["computeTotal"])).toBe("and fail")
})

test("an ordinary word is taken out only where it is written as code", () => {
  expect(hide("the total is wrong: `total` and Cart.total and total()", [], ["total"])).toBe(
    "the total is wrong: and Cart. and",
  )
})

test("a name inside a longer name stays", () => {
  expect(hide("computeTotals stays", [], ["computeTotal"])).toBe("computeTotals stays")
})
