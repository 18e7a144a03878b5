import { expect, test } from "bun:test"
import { hideAnswer } from "./hide-answer.ts"

const hide = (text: string, paths: string[], identifiers: string[] = []) =>
  hideAnswer(text, { paths, identifiers })

test("removes paths, file names and compound stems", () => {
  const text = "src/pay/cart-total.ts rounds wrongly, see cart-total.ts and cart-total"
  expect(hide(text, ["src/pay/cart-total.ts"])).toBe("rounds wrongly, see and")
  expect(hide("cartTotal is wrong", ["src/cartTotal.ts"])).toBe("is wrong")
})

test("removes a compound identifier in any case", () => {
  expect(hide("computeTotal() and COMPUTETOTAL fail", [], ["computeTotal"])).toBe("and fail")
})

test("removes an ordinary word only where it is written as code", () => {
  expect(hide("the total is wrong: `total` and Cart.total and total()", [], ["total"])).toBe(
    "the total is wrong: and Cart. and",
  )
})

test("keeps a name inside a longer name", () => {
  expect(hide("computeTotals stays", [], ["computeTotal"])).toBe("computeTotals stays")
})
