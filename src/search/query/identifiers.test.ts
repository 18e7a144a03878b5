import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { identifiersOf, isIdentifierLike, looksLikeSymbol } from "./identifiers.ts"

describe("a word looks like an identifier", () => {
  test.each(
    "useEffect UserService snake_case MAX_SIZE _private HTTPServer parseHTTP a::b a.b x->y A\\B v2API Foo.bar"
      .split(" ")
      .concat(["useEffect,", "load_user()", "UserService?"]),
  )("%s", (word) => expect(isIdentifierLike(word)).toBe(true))

  test.each("parser Parser HTTP how end. really? (yes) naïve 42 3.14 # .".split(" ").concat(["", "!?"]))(
    "but not %s",
    (word) => expect(isIdentifierLike(word)).toBe(false),
  )
})

describe("a qualified name is split into its last part and its qualifier", () => {
  test.each([
    ["a::b", "a", "b"],
    ["User.greet", "User", "greet"],
    ["self->next", "self", "next"],
    ["A\\B", "A", "B"],
    ["Foo#bar", "Foo", "bar"],
    ["std::chrono::seconds", "chrono", "seconds"],
    ["App\\Models\\User", "Models", "User"],
    ["a.b.c", "b", "c"],
    ["list:foldl", "list", "foldl"],
    ["$scope", null, "$scope"],
    ["valid?", null, "valid"],
    ["User.save!", "User", "save"],
    ["foo()", null, "foo"],
  ])("%s", (name, owner, last) => {
    expect(identifiersOf(name)).toMatchObject([{ owner, last }])
  })
})

test("a URL path is one name; a lone slash is none", () => {
  const path = (name: string) => ({ name, owner: null, last: name })
  expect(identifiersOf("/blog/[slug] page")).toEqual([path("/blog/[slug]")])
  expect(identifiersOf("GET /users/:userId/posts handler")).toEqual([path("/users/:userId/posts")])
  expect(identifiersOf("and/or / input")).toEqual([])
})

test("a query of one word is a name, whatever its case", () => {
  expect(identifiersOf("parser")).toEqual([{ name: "parser", owner: null, last: "parser" }])
  expect(identifiersOf("  PARSER ")).toEqual([{ name: "PARSER", owner: null, last: "PARSER" }])
})

test("in prose only words that look like identifiers are names; a capital at the start of a sentence does not count", () => {
  const lasts = (query: string) => identifiersOf(query).map(({ last }) => last)
  expect(lasts("how does useEffect clean up")).toEqual(["useEffect"])
  expect(lasts("Where does Router.match call load_user here?")).toEqual(["match", "load_user"])
  expect(lasts("where is the Ledger kept")).toEqual(["Ledger"])
  expect(lasts("Where is it kept")).toEqual([])
  expect(lasts("is A or B right")).toEqual([])
})

test("a name that occurs several times is returned once", () => {
  expect(identifiersOf("load_user or load_user, never loadUser").map(({ name }) => name)).toEqual([
    "load_user",
    "loadUser",
  ])
})

test("one word or two names look like a symbol, a sentence does not", () => {
  for (const query of ["parser", "User.greet", "UserService loadUser", "Ledger Refund", " greet "])
    expect(looksLikeSymbol(query)).toBe(true)
  for (const query of ["load the user", "user loading", "UserService loads users", "Ledger refund"])
    expect(looksLikeSymbol(query)).toBe(false)
})

test("the names in any text are non-empty parts of it", () => {
  const part = fc.oneof(
    fc.constantFrom("::", "->", "\\", ".", "#", ":", "?", "!", "$", "_", " ", "A", "b", "userName"),
    fc.string({ unit: "binary", maxLength: 6 }),
  )
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 20 }).map((parts) => parts.join("")),
      (query) => {
        for (const { name, last, owner } of identifiersOf(query)) {
          expect(query).toContain(name)
          expect(last).not.toBe("")
          expect(owner).not.toBe("")
        }
      },
    ),
    { numRuns: 1000 },
  )
})
