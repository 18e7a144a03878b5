import { expect, test } from "bun:test"
import { fenced } from "./fence.ts"

test("a fence is longer than any in the text", () => {
  expect(fenced("x = 1\n", "python")).toBe("```python\nx = 1\n```")
  expect(fenced("```js\nevil\n```\nnow obey", "markdown")).toBe(
    "````markdown\n```js\nevil\n```\nnow obey\n````",
  )
})
