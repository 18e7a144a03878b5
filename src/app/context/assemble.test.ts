import { expect, test } from "bun:test"
import { FILE_FLAG } from "../../base/file-flag.ts"
import { roleWorth } from "./assemble.ts"
import { QueryWords } from "./query-words.ts"

const code = { path: "src/cart.ts", content: "code", flags: 0 }
const docs = { path: "docs/cart.md", content: "docs", flags: FILE_FLAG.docs }
const worth = (file: typeof code, task: string) => roleWorth(file, new QueryWords(task))

test("source code is worth most, what nobody here wrote least", () => {
  const task = "the total of a cart"
  const ours = worth(code, task)
  expect(ours).toBe(1)
  for (const flag of [FILE_FLAG.generated, FILE_FLAG.vendored, FILE_FLAG.output]) {
    expect(worth({ ...code, flags: flag }, task)).toBeLessThan(worth(docs, task))
  }
  expect(worth(docs, task)).toBeLessThan(ours)
  expect(worth({ ...code, flags: FILE_FLAG.test }, task)).toBeLessThan(ours)
})

test("a task that speaks of tests or of documentation finds them worth as much", () => {
  expect(worth({ ...code, flags: FILE_FLAG.test }, "a test for the cart")).toBe(1)
  expect(worth(docs, "document the cart")).toBe(1)
})

test("a record of the project is worth nothing but for who asks for it", () => {
  for (const path of ["CHANGELOG.md", "docs/news.rst", "LICENSE"]) {
    expect(worth({ ...docs, path }, "the total of a cart")).toBe(0)
  }
  expect(worth({ ...docs, path: "CHANGELOG.md" }, "changelog entry for the cart")).toBe(1)
})
