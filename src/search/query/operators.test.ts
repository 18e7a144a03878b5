import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { parseOperators, phraseTest } from "./operators.ts"

const NONE = { files: [], languages: [], kinds: [], symbols: [], words: [], phrases: [] }

describe("the condition of an operator:", () => {
  test.each([
    ["login file:src/app", "login", { files: ["src/app"] }],
    ['login file:"my dir/x"', "login", { files: ["my dir/x"] }],
    ["lang:go,ts retry lang:py", "retry", { languages: ["go", "ts", "py"] }],
    ["retry kind:class kind:struct", "retry", { kinds: ["class", "struct"] }],
    ["sym:User.greet who", "who", { symbols: ["User.greet"] }],
    ['refund "money back" soon', 'refund "money back" soon', { phrases: ["money back"] }],
    ['see "a b".', 'see "a b" .', { phrases: ["a b"] }],
  ])("%s", (query, text, wanted) => {
    const parsed = parseOperators(query)
    expect(parsed.text).toBe(text)
    expect(parsed.wanted).toEqual({ ...NONE, ...wanted })
    expect(parsed.unwanted).toEqual(NONE)
  })

  test.each([
    ["login -test", "login", { words: ["test"] }],
    ["login -file:test -lang:go", "login", { files: ["test"], languages: ["go"] }],
    ["-kind:class login -sym:Form", "login", { kinds: ["class"], symbols: ["Form"] }],
    ['login -"not this"', "login", { phrases: ["not this"] }],
    ["sym:Login -größe", "Login", { words: ["größe"] }],
  ])("and what it does not want: %s", (query, text, unwanted) => {
    const parsed = parseOperators(query)
    expect(parsed.text).toBe(text)
    expect(parsed.unwanted).toEqual({ ...NONE, ...unwanted })
  })
})

test.each([
  'File "a.py", line 1\n  run()\nError: gone',
  "one two\n-file:three four\r\nsym:Five\nsix",
  'one "two\nthree" four\nfive -file:six lang:klingon',
  "How to limit retries?\n\nlike: src/a.ts:12 kind:class file:b",
  "one\rfile:two",
])("a query of several lines is text, line by line: %p", (query) => {
  const { text, applied, wanted, unwanted, like, notices } = parseOperators(query)
  expect({ text, applied, wanted, unwanted, like }).toEqual({
    ...{ text: query, applied: [], wanted: NONE, unwanted: NONE, like: null },
  })
  expect(notices).toEqual([expect.stringContaining("searched as text: the query has several lines")])
  expect(parseOperators(query, { isTyped: true }).applied).toEqual([])
})

test.each([
  ...["http://x", "std::vector", "foo:bar", "a -> b", "find --dry-run", "x -1", "git commit -m", "a - b"],
  ...[
    "file:",
    "lang: go",
    "sym:",
    "kind:",
    '""',
    '"',
    'say "hello',
    'file:"x',
    "-",
    "--",
    "-word",
    "-file:x",
  ],
  ...[
    "-lang:go -test",
    "file::read",
    "file:///etc/passwd",
    "well-known non-blocking i/o",
    "rm -rf/x",
    "x -a-b",
  ],
  ...[
    "it's 'quoted'",
    "it feels like: nothing",
    "like:",
    "like: http://x:80",
    'a"b"c',
    "size:10 is:open",
    "",
  ],
])("text stays as it was typed: %s", (query) => {
  expect(parseOperators(query)).toMatchObject({ text: query, wanted: NONE, unwanted: NONE, applied: [] })
})

const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(" ")

test.each([
  ["-test", 12, 1],
  ['"a phrase"', 12, 1],
  ['-"a phrase"', 12, 1],
  ["file:src", 24, 0],
  ["-lang:go", 24, 0],
  ["like: src/a.ts:12", 24, 0],
])(
  "on one line %s counts among %d words, itself %d of them; given by a flag it counts among any number",
  (operator, max, itself) => {
    const fits = `${words(max - itself)} ${operator}`
    expect(parseOperators(fits)).toMatchObject({ applied: [operator], notices: [] })
    const longer = `${words(max - itself + 1)} ${operator}`
    expect(parseOperators(longer)).toMatchObject({
      ...{ text: longer, wanted: NONE, unwanted: NONE, like: null, applied: [] },
      notices: [`${operator} was searched as text: the query is longer than ${max} words`],
    })
    expect(parseOperators(longer, { isTyped: true }).applied).toEqual([operator])
  },
)

test.each([
  ['Fix layout of the "ascii art" snapshot', '"ascii art"'],
  ["python -bb: decode all paths to satisfy -bb", "-bb"],
  ['where is "max retries" read', '"max retries"'],
])("a phrase or -word in a sentence is text: %s", (query, first) => {
  const [notice, ...others] = parseOperators(query).notices
  expect(parseOperators(query)).toMatchObject({ text: query, applied: [] })
  expect(notice).toStartWith(first)
  expect(notice).toEndWith("searched as text: the query reads as a sentence")
  expect(others).toEqual([])
  expect(parseOperators(query, { isTyped: true }).applied).not.toEqual([])
})

test("a filter with a name counts in a sentence", () => {
  expect(parseOperators("where are the retries limited file:net -test").applied).toEqual(["file:net"])
})

test("a query in a script without spaces is measured by its characters", () => {
  const query = `${"注文の合計が間違っている。".repeat(16)} "合計"`
  expect(parseOperators(query)).toMatchObject({ text: query, applied: [] })
  expect(parseOperators('注文の合計 "合計"').wanted.phrases).toEqual(["合計"])
})

test("one short notice names the operators that are taken as text", () => {
  const long = "which component draws the list of open orders when the user comes back -svelte"
  expect(parseOperators(long).notices).toEqual([
    "-svelte was searched as text: the query is longer than 12 words",
  ])
  expect(parseOperators("make: error\ngcc -Wall -Werror -Wextra main.c").notices).toEqual([
    "-Wall and 2 more were searched as text: the query has several lines",
  ])
  expect(parseOperators(`${long.replace("-svelte", "again")} -file:test`)).toMatchObject({
    ...{ applied: ["-file:test"], notices: [] },
  })
  const [notice] = parseOperators(`it says:\n"${"so much ".repeat(500)}"`).notices
  expect(notice!.length).toBeLessThan(140)
})

test("an operator listed in `without` is left out", () => {
  expect(parseOperators("retry file:a -file:b", { without: ["-file:b"] })).toMatchObject({
    ...{ text: "retry", applied: ["file:a"], unwanted: NONE },
  })
  expect(parseOperators('retry "a b" -test', { without: ['"a b"', "-test"] })).toMatchObject({
    ...{ text: "retry", applied: [] },
  })
})

test("-word excludes in a one-line query that ends with a line break", () => {
  expect(parseOperators("login -test\n").unwanted.words).toEqual(["test"])
})

test("an operator with an unknown language or kind is text, and a notice says so", () => {
  const { text, applied, notices } = parseOperators("kind:Deployment lang:klingon replicas")
  expect([text, applied]).toEqual(["kind:Deployment lang:klingon replicas", []])
  expect(notices).toEqual([
    "kind:Deployment was searched as text: no kind of symbol is named Deployment",
    "lang:klingon was searched as text: no language is named klingon",
  ])
})

test("a query of operators alone searches for the names in them", () => {
  expect(parseOperators("sym:Form file:web").text).toBe("Form")
  expect(parseOperators("file:web/login lang:ts").text).toBe("web/login")
  expect(parseOperators("lang:ts kind:class").text).toBe("")
})

test("the value of like: is a path with a line", () => {
  expect(parseOperators("like: src/a.ts:12 lang:go")).toMatchObject({ like: "src/a.ts:12", text: "" })
  expect(parseOperators('like:"my dir/a.ts:3" retries')).toMatchObject({
    like: "my dir/a.ts:3",
    text: "retries",
  })
})

test("every part of any text is read as text or as an operator", () => {
  const parts = fc.constantFrom(
    ...[
      "file:",
      "lang:",
      "sym:",
      "kind:",
      "like:",
      "-",
      '"',
      " ",
      "\n",
      "\0",
      "a",
      "go",
      "x:1",
      "é",
      "😀",
      ":",
      "//",
    ],
  )
  const typed = fc.array(parts, { maxLength: 20 }).map((found) => found.join(""))
  const letters = (text: string) => text.replace(/\s+/g, "")
  fc.assert(
    fc.property(fc.oneof(typed, fc.string({ unit: "binary", maxLength: 80 })), (query) => {
      const { text, applied } = parseOperators(query)
      if (applied.length === 0) expect(text).toBe(query)
      expect(letters(text).length).toBeLessThanOrEqual(letters(query).length)
    }),
    { numRuns: 1000 },
  )
})

test("tests an empty page of many lines for a phrase with blanks at its edges in one pass", () => {
  const page = "\n".repeat(300_000)
  expect(phraseTest(" cart total ")(`${page}cart total${page}`)).toBe(true)
  expect(phraseTest(" cart total")(`${page}x-cart\ntotal`)).toBe(false)
  expect(phraseTest(" cart")(page)).toBe(false)
})
