import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import fc from "fast-check"
import manifest from "../../../grammars/manifest.json" with { type: "json" }
import { cpuTime } from "../../../test/cpu-time.ts"
import { textLines } from "../text-lines.ts"
import { cutByRules, ruleDefinitions } from "./rule-definitions.ts"
import { GENERIC, headRulesOf } from "./table.ts"

const FIXTURES = new URL("../../../test/fixtures/", import.meta.url).pathname
const SIZES = { chunkTokens: 100, mergeTokens: 30 }

const LANGUAGES =
  "asciidoc c cmake clojure dockerfile erlang fortran fsharp graphql haskell java javascript makefile nix org".split(
    " ",
  )
LANGUAGES.push(
  ..."pascal perl php powershell proto python r rst ruby sql tex text thrift visual-basic".split(" "),
)

/** One of each set of rules. */
const DISTINCT =
  "apex bicep cmake coq dockerfile graphql haskell java makefile matlab nix perl php powershell prisma prolog r ruby sql template tex text".split(
    " ",
  )

const texts = ["rules", "languages"].flatMap((folder) =>
  readdirSync(FIXTURES + folder).map((name) => readFileSync(`${FIXTURES}${folder}/${name}`, "utf8")),
)

const noise = fc.oneof(
  fc.constantFrom(
    "\n",
    "{",
    "}",
    "(",
    ")",
    '"',
    "'",
    "`",
    "/*",
    "*/",
    "#",
    "--",
    "$$",
    "<<EOF\n",
    "=pod\n",
    "''",
    "@'\n",
  ),
  fc.constantFrom(
    "create table a (",
    "sub b {",
    "define c\n",
    "function(",
    "FROM d AS e\n",
    "\\section{f}\n",
    "\n====\n",
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
)
const wild = fc
  .tuple(fc.constantFrom(...texts), fc.array(fc.tuple(fc.nat(3000), noise), { maxLength: 30 }))
  .map(([text, wounds]) =>
    wounds.reduce((current, [at, inserted]) => current.slice(0, at) + inserted + current.slice(at + 3), text),
  )

test("puts every non-blank row into a chunk in order, whatever the text is", () => {
  fc.assert(
    fc.property(fc.constantFrom(...LANGUAGES), wild, (language, text) => {
      const lines = textLines(text)
      const cut = cutByRules(language, lines, SIZES)
      const rows = text.split("\n")
      let next = 0
      for (const { startRow, endRow } of cut?.chunks ?? []) {
        expect(rows.slice(next, startRow).join("").trim()).toBe("")
        expect(endRow).toBeGreaterThanOrEqual(startRow)
        next = endRow + 1
      }
      if (cut) expect(rows.slice(next).join("").trim()).toBe("")
      const starts = cut?.symbols.map(({ startLine }) => startLine) ?? []
      expect(starts).toEqual(starts.toSorted((one, other) => one - other))
    }),
    { numRuns: 1000 },
  )
}, 60_000)

/** Texts that quadratic rules choke on: nothing closes, everything nests, one row holds all. */
const HOSTILE = [
  '"',
  "'",
  "`",
  "(",
  "{",
  "}",
  "/*",
  "\n",
  "\\",
  '"\\',
  "$a$",
  "<<A\n",
  "[[",
  'r"(',
  "(*",
  "{-",
  "''",
  "@'\n",
  "=a\n",
  "create table a\n",
  "create function a\n",
  "message a {\n",
  "message a {",
  "sub a\n",
  "define a\n",
  "A=\\\n",
  "a: \n",
  "function(a\n",
  "FROM a AS b\n",
  "\\section{a}\n",
  "a\n===\n",
  "* a\n",
  "a = \n",
  "a = {\n",
  "def a:\n",
  "class a ",
  "a a ",
  "a <- function(x)\n",
  "(define a\n",
  " ".repeat(600),
  "create or replace temp temp ",
  "a.",
  "a::",
  "$tag$x",
  "type a {\n b(",
  "@a ",
  "{% macro a(",
  "  procedure a(((",
  "  function a (b ",
  "function [a, ",
  "#[a] ",
  "a(b).\n",
  "fun <a<b>",
  "class a :",
] as const

test("takes no more than linear time for any text", () => {
  for (const piece of HOSTILE) {
    const lines = textLines(piece.repeat(Math.ceil(30_000 / piece.length)))
    for (const language of DISTINCT) {
      const started = cpuTime()
      cutByRules(language, lines, SIZES)
      // Takes about 6 ms; quadratic time would be half a minute.
      expect({ piece, language, isSlow: cpuTime() - started > 3000 }).toMatchObject({ isSlow: false })
    }
    for (const language of ["cpp", "kotlin"]) {
      const started = cpuTime()
      ruleDefinitions(lines, headRulesOf(language)!)
      expect({ piece, language, isSlow: cpuTime() - started > 3000 }).toMatchObject({ isSlow: false })
    }
  }
}, 120_000)

const WORDS = [
  "A",
  "A ",
  "A_B ",
  "A(a",
  "a(b ",
  "a(1, ",
  "class A ",
  "[[a]] ",
  "template <",
  "__a ",
  ") ",
  "static ",
  "typedef ",
  "int *",
  "int a ",
  "[[a]] A ",
  "AAAA a<",
]

test("replaces what a grammar does not know in no more than linear time", () => {
  const patterns = manifest.languages.flatMap(({ rewrites, stumbles }) => [
    ...(rewrites ?? []).map(({ pattern }) => pattern),
    ...(stumbles === undefined ? [] : [stumbles]),
  ])
  for (const pattern of patterns)
    for (const piece of [...HOSTILE, ...WORDS]) {
      const started = cpuTime()
      piece.repeat(Math.ceil(60_000 / piece.length)).replace(new RegExp(pattern, "gm"), "")
      // Takes at most 45 ms; quadratic time takes 1.7 s.
      expect({ pattern, piece, isSlow: cpuTime() - started > 600 }).toMatchObject({ isSlow: false })
    }
}, 120_000)

test("limits the depth of endlessly nested definitions without a stack overflow", () => {
  const text = Array.from({ length: 2000 }, (_, at) => `${" ".repeat(at % 900)}class A${at} {\n`).join("")
  const { definitions } = ruleDefinitions(textLines(text), GENERIC.slash)
  expect(definitions.length).toBeGreaterThan(10)
  expect(definitions.length).toBeLessThan(100)
})
