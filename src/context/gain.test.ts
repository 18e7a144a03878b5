import { expect, test } from "bun:test"
import { asksForTests, roleWeight } from "./gain.ts"
import { QueryWords } from "./task-terms.ts"

const weight = (path: string, content: string, task: string) =>
  roleWeight({ path, content }, new QueryWords(task))

test("documents and data weigh less than code, unless the task mentions documents", () => {
  const task = "the total of a cart"
  expect(weight("src/cart.ts", "code", task)).toBe(1)
  expect(weight("docs/cart.md", "docs", task)).toBeLessThan(1)
  expect(weight("cart.json", "data", task)).toBeLessThan(1)
  expect(weight("docs/cart.md", "docs", "document the cart")).toBe(1)
})

test("a task that mentions tests asks for them", () => {
  expect(asksForTests(new QueryWords("a test for the cart"))).toBe(true)
  expect(asksForTests(new QueryWords("the total of a cart"))).toBe(false)
})

test("a record of the project weighs nothing unless the task asks for it", () => {
  for (const path of ["CHANGELOG.md", "docs/news.rst", "LICENSE"]) {
    expect(weight(path, "docs", "the total of a cart")).toBe(0)
  }
  expect(weight("CHANGELOG.md", "docs", "changelog entry for the cart")).toBe(1)
})
