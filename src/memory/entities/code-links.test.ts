import { expect, test } from "bun:test"
import { codeLinks, codeNames, entriesNaming } from "./code-links.ts"

test.each([
  ["the userService and user_service of UserService2", ["userService", "user_service", "UserService2"]],
  ["`search` is slow, render() and parse(x) too", ["search", "render", "parse"]],
  [
    "Shop.Router, std::vec, ptr->next and Thing#method",
    ["Shop.Router", "std::vec", "ptr->next", "Thing#method"],
  ],
  ["see `a.b.c()` and größeÄndern", ["a.b.c", "größeÄndern"]],
  ["MAX_SIZE is 5, MAX_SIZE again", ["MAX_SIZE"]],
])("names written as code are found: %s", (text, names) => {
  expect(codeNames(text)).toEqual(names)
})

test.each([
  "We moved. Then it broke, e.g. on Mondays (twice).",
  "A URL https://example.org/userService/getAll is no name",
  "ask ann@userService.example or @scope/packageName",
  "HTTP and JSON, v1.2",
  "",
])("prose is none: %s", (text) => {
  expect(codeNames(text)).toEqual([])
})

const entry = { id: "1", text: "getUser throws in `Shop.login`, not in parseAll", source: null }
const source = {
  path: "a.ts",
  startLine: null,
  endLine: null,
  symbol: "main",
  hash: null,
  text: null,
  commit: null,
}

test("an entry is linked to the symbols that the index knows", () => {
  const known: Record<string, number[]> = { getUser: [1, 2], "Shop.login": [3], main: [4] }
  const lookup = (name: string): number[] => known[name] ?? []
  expect(codeLinks(entry, lookup)).toEqual([
    { name: "getUser", symbols: [1, 2] },
    { name: "Shop.login", symbols: [3] },
  ])
  expect(codeLinks({ ...entry, text: "nothing", source }, lookup)).toEqual([{ name: "main", symbols: [4] }])
})

test("a symbol is linked to the entries that mention it in any case or qualification", () => {
  const other = { id: "2", text: "GET_USER is deprecated", source: null }
  expect([...entriesNaming([entry, other], ["get_user", "Web.login"])]).toEqual([
    ["1", ["getUser", "Shop.login"]],
    ["2", ["GET_USER"]],
  ])
  expect(entriesNaming([entry], []).size).toBe(0)
})
