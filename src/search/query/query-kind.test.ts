import { expect, test } from "bun:test"
import { isUnsureTask, queryKind } from "./query-kind.ts"

test.each(["loadUser", "Parser", "std::vector", "User.greet LoginForm"])("%s is a name", (query) => {
  expect(queryKind(query)).toBe("name")
})

test.each([
  "how are retries limited",
  "where does the parser raise errors?",
  "panic recovery",
  "cache store",
  "delete account",
  "web socket upgrade",
  "what should happen when an upload fails",
])("%s is a question", (query) => {
  expect(queryKind(query)).toBe("question")
})

test.each([
  "Fix crash when the header is empty",
  "add a flag to skip the cache",
  "net/http: close the body on redirect",
  "feat(ui): dark mode",
  "Upload fails after a redirect",
  "Settings page doesn't save the time zone",
  "TypeError: x is undefined\n    at load (a.js:3)",
  `${"word ".repeat(30)}end`,
])("%s is a task", (query) => {
  expect(queryKind(query)).toBe("task")
})

test("a task of one plain line may be a question; one with an area, code or several lines is a task", () => {
  for (const query of ["write a notebook as a plain script", "Fix crash when the header is empty"])
    expect(isUnsureTask(query)).toBe(true)
  for (const query of [
    "net/http: close the body on redirect",
    "fix crash in parseHeader",
    "Fix crash\n\nWhen the header is empty",
    "how are retries limited",
  ])
    expect(isUnsureTask(query)).toBe(false)
})
