import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { cpuTime } from "../../../test/cpu-time.ts"
import { compoundOf } from "../../text/terms/abbreviations.ts"
import { hashTerm } from "../../text/terms/hash.ts"
import {
  classify,
  identifiersOf,
  isIdentifierLike,
  isUnsureTask,
  looksLikeSymbol,
  parseQuery,
  passagesOf,
  type QueryClass,
  queryKind,
} from "./query.ts"

test("a question is reduced to its words that are no stop words, once each", () => {
  const query = parseQuery("How does the parser parse a Query, and where are queries parsed?")
  expect(query.words).toEqual(["parser", "query"])
  expect(query.scored).toBe(2)
  expect(query.classification.class).toBe("natural")
})

test("names follow the scoring words and have no weight; they only mark where they occur", () => {
  const query = parseQuery("where does useEffect call load_user")
  expect(query.names.map(({ last, folded }) => [last, folded])).toEqual([
    ["useEffect", "useeffect"],
    ["load_user", "loaduser"],
  ])
  expect(query.terms).toHaveLength(query.scored + 2)
  expect(query.terms.slice(query.scored)).toEqual(
    ["useEffect", "load_user"].map((name) => ({
      variants: [{ hash: hashTerm(compoundOf(name)), weight: 0 }],
    })),
  )
})

test("a qualified name is looked up by its last part and keeps its owner", () => {
  for (const text of ["User::greet", "User.greet", "User->greet", "User\\greet", "User#greet"]) {
    const { names, looksLikeSymbol } = parseQuery(text)
    expect(names).toEqual([{ name: text, owner: "User", last: "greet", folded: "greet" }])
    expect(looksLikeSymbol).toBe(true)
  }
})

test("the words of paths are compared with stems and with compounds of neighbouring words", () => {
  const { forms } = parseQuery("web socket upgrades")
  for (const form of ["web", "socket", "websocket", "upgrad"]) expect(forms).toContain(form)
})

test("a query of stop words alone is searched for them", () => {
  expect(parseQuery("how is it").words).toEqual(["how", "is", "it"])
})

test("term masks of a query of any length fit into 31 bits", () => {
  const words = Array.from(
    { length: 200 },
    (_, i) => `someName${String.fromCharCode(97 + (i % 26)).repeat(i)}`,
  )
  const query = parseQuery(words.join(" "))
  expect(query.scored).toBe(24)
  expect(query.terms).toHaveLength(31)
})

test("any text is parsed into at most 31 terms, each with a variant", () => {
  const word = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.constantFrom(
      "useEffect",
      "a::b",
      "load_user",
      "HTTPServer",
      "the",
      "Größe",
      "検索",
      "x",
      "\0",
      "\ud800",
    ),
  )
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 80 }).map((words) => words.join(" ")),
      (text) => {
        const query = parseQuery(text)
        expect(query.terms.length).toBeLessThanOrEqual(31)
        expect(query.terms.length).toBe(query.scored + query.names.length)
        expect(query.words.length).toBe(query.scored)
        expect(query.stems.length).toBe(query.scored)
        for (const term of query.terms) expect(term.variants.length).toBeGreaterThan(0)
      },
    ),
    { numRuns: 500 },
  )
})

/** The weight of the passage that has this text; the highest if there are several. */
function weightOf(query: string, text: string): number | undefined {
  const weights = passagesOf(query).flatMap((passage) =>
    passage.text.includes(text) ? [passage.weight] : [],
  )
  return weights.length === 0 ? undefined : Math.max(...weights)
}

test.each(["loadUser", "where are retries limited", "  retry uploads\n", ""])(
  "a query of one short line is one passage of full weight: %p",
  (query) => {
    expect(passagesOf(query)).toEqual([{ text: query.trim(), weight: 1 }])
  },
)

const ISSUE = `<!-- Please search first -->
### Bug report
Upload fails after a redirect

### Steps to reproduce
Call \`Client.send()\` with a body that was read.

\`\`\`py
client.send(request)
\`\`\`

Traceback (most recent call last):
  File "/home/me/site-packages/web/client.py", line 12, in send
    self._retry(request)
ValueError: body was consumed

### Environment
- Python: 3.11
- macOS
2024-01-05 10:00:01 INFO started
- [x] I have searched`

test("the title of an issue counts most, then names and the error, then prose, frames and code", () => {
  expect(weightOf(ISSUE, "Upload fails after a redirect")).toBe(1)
  expect(weightOf(ISSUE, "ValueError: body was consumed")).toBe(0.7)
  expect(passagesOf(ISSUE)).toContainEqual({ text: "`Client.send()`", weight: 0.7 })
  expect(weightOf(ISSUE, "with a body that was read")).toBe(0.4)
  expect(weightOf(ISSUE, "web/client.py")).toBe(0.3)
  expect(weightOf(ISSUE, "client.send(request)")).toBe(0.3)
})

test("headings of forms, versions, logs and check boxes hardly count, comments not at all", () => {
  for (const text of ["Steps to reproduce", "Python: 3.11", "- macOS", "INFO started", "I have searched"])
    expect(weightOf(ISSUE, text)).toBe(0.05)
  expect(weightOf(ISSUE, "Please search first")).toBeUndefined()
})

test("the error is the title of a trace pasted alone", () => {
  const trace =
    'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in run\n    main()\nValueError: gone too soon'
  expect(passagesOf(trace)[0]).toEqual({ text: "ValueError: gone too soon", weight: 1 })
  expect(weightOf(trace, "main()")).toBe(0.3)
})

test("the first sentence of one long line is its title", () => {
  const query = `The upload fails after a redirect. ${"It was tried with a body and without one. ".repeat(8)}`
  expect(passagesOf(query)[0]).toEqual({ text: "The upload fails after a redirect.", weight: 1 })
  expect(weightOf(query, "tried with a body")).toBe(0.4)
})

test.each([
  ['  File "a/b.py", line 3, in run', 0.3],
  ["    at load (src/a.js:3:7)", 0.3],
  ["\tat com.shop.Cart.add(Cart.java:12)", 0.3],
  ["main.go:12 +0x1d", 0.3],
  ["Error: too late for a refund", 0.7],
  ["thread 'main' panicked at 'gone'", 0.7],
  ["error[E0308]: mismatched types", 0.7],
  ["[2024-01-05 10:00] started", 0.05],
  ["Node.js: v20.1", 0.05],
])("a line below the title is weighed by its form: %s", (line, weight) => {
  expect(weightOf(`Refund fails\n${line}`, line)).toBe(weight)
})

test("each word of the title of any text is kept, in bounded time", () => {
  const line = fc.string({ unit: "binary", maxLength: 60 })
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const passages = passagesOf(lines.join("\n"))
      expect(passages[0]!.weight).toBe(1)
      for (const { weight } of passages) expect(weight).toBeWithin(0, 1.01)
    }),
    { numRuns: 300 },
  )
  const hostile = [
    "`".repeat(9_000),
    "(".repeat(9_000),
    "a.".repeat(4_500),
    "-".repeat(9_000),
    "<!--".repeat(2_000),
  ]
  const started = cpuTime()
  for (const text of hostile) passagesOf(`title\n${text}\n${text}`)
  expect(cpuTime() - started).toBeLessThan(2_000)
})

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

/** Class, weights of the keyword and the vector channel, and queries of that class. */
const TABLE: readonly (readonly [QueryClass, number, number, readonly string[]])[] = [
  ["error_code", 0.8, 0.2, ["ERR_CONNECTION_REFUSED", "E0001", "E0502", "E_NOENT", "CVE2024", "TS-2345"]],
  ["error_code", 0.8, 0.2, ["ERR_ABORTED axios", "fix E0502"]],
  ["identifier", 0.7, 0.3, ["useEffect", "user_service", "MAX_SIZE", "HTTPServer", "UserService"]],
  ["identifier", 0.7, 0.3, ["std::vector", "User.greet", "self->next", "App\\Models\\User", "v2API"]],
  ["identifier", 0.7, 0.3, ["parseQuery queryTerms", "greet", "Greet", "foo()", "getUser,"]],
  ["natural", 0.25, 0.75, ["how are passwords stored", "Where is the retry logic?", "web socket upgrade"]],
  ["mixed", 0.5, 0.5, ["where is parse_query called", "HTTPServer shutdown", "why ERR_ABORTED is thrown"]],
  ["quoted", 0.9, 0.1, ['"connection refused"', "'connection refused'", "`x = 1`", '  "useEffect"  ']],
]

describe("the weights of each query class", () => {
  const rows = TABLE.flatMap(([kind, keyword, vector, queries]) =>
    queries.map((query) => [query, kind, keyword, vector] as const),
  )
  test.each(rows)("%s is %s", (query, kind, keywordWeight, vectorWeight) => {
    expect(classify(query)).toMatchObject({ class: kind, keywordWeight, vectorWeight })
  })
})

test("a worked example: useEffect cleanup function", () => {
  expect(classify("useEffect cleanup function")).toEqual({
    class: "mixed",
    keywordWeight: 0.5,
    vectorWeight: 0.5,
    boostTerms: ["useEffect"],
  })
})

test("only a mixed query has terms to boost, in the order they were typed", () => {
  expect(classify("does UserService call load_user here").boostTerms).toEqual(["UserService", "load_user"])
  for (const query of ["useEffect", "ERR_ABORTED", '"useEffect cleanup"', "clean up effects"])
    expect(classify(query).boostTerms).toEqual([])
})

test("quotation marks count only around the whole query", () => {
  for (const query of ['"', '""', 'say "hello" twice', '"a" or "b"', "it's"])
    expect(classify(query).class).not.toBe("quoted")
})

test("an empty query has a class", () => {
  for (const query of ["", "  \n\t"]) expect(classify(query).class).toBe("identifier")
})

test("any text has a class, weights that add up to 1, and boosted terms that it contains", () => {
  const query = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc
      .array(fc.constantFrom("useEffect", "E0001", "ERR_X", '"', "'", " ", "\n", "how", "a::b", "?", "😀"), {
        maxLength: 12,
      })
      .map((parts) => parts.join("")),
  )
  fc.assert(
    fc.property(query, (text) => {
      const { keywordWeight, vectorWeight, boostTerms } = classify(text)
      expect(keywordWeight + vectorWeight).toBeCloseTo(1, 9)
      expect(Math.min(keywordWeight, vectorWeight)).toBeGreaterThan(0)
      for (const term of boostTerms) expect(text).toContain(term)
    }),
    { numRuns: 1000 },
  )
})

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
