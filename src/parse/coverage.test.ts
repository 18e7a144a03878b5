import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import fc from "fast-check"
import { expectCovered } from "../../test/covered.ts"
import { parseFile } from "./file/parse.ts"

const project = new URL("../../", import.meta.url).pathname

/** Real files of many languages: ours, the fixtures, and those that grammar packages ship. */
const PLACES = [
  "src/parse/*.ts",
  "grammars/**/*.{md,scm,json}",
  "test/fixtures/languages/**/*.*",
  "test/golden/chunks/*.go",
  "node_modules/tree-sitter-*/{grammar.js,README.md,src/scanner.c,bindings/node/binding.cc}",
]
const MAX_SOURCE_CHARS = 20_000

const sources = PLACES.flatMap((place) => [...new Bun.Glob(place).scanSync(project)])
  .sort()
  .map((path) => ({ path, text: readFileSync(project + path, "utf8").slice(0, MAX_SOURCE_CHARS) }))

const NAMES = [
  "a.go",
  "a.py",
  "a.ts",
  "a.rs",
  "a.cpp",
  "A.java",
  "a.rb",
  "a.php",
  "a.ex",
  "a.hs",
  "a.md",
  "a.m",
  "a.ml",
  "a.jl",
  "a.dart",
  "a.sol",
  "a.tf",
  "a.html",
  "a.vue",
  "a.svelte",
  "a.css",
  "a.yaml",
  "a.toml",
  "a.json",
  "a.txt",
]

const noise = fc.oneof(
  fc.constantFrom(
    "\n",
    "\n\n",
    "{",
    "}",
    "(",
    '"',
    "'",
    "`",
    "/*",
    "*/",
    "#",
    "```\n",
    "\r\n",
    "\t",
    "\u2028",
    "😀",
    "\ud800",
    "<script>",
    "</script>",
    "<style>\n",
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
)
const sizes = fc.record({
  chunkTokens: fc.constantFrom(20, 100, 400, 1500),
  mergeTokens: fc.constantFrom(0, 30, 120, 500),
  timeoutMs: fc.constant(2000),
})

/** A part of a file in which short pieces are replaced by random text. */
const damaged = fc
  .record({
    source: fc.constantFrom(...sources),
    from: fc.double({ min: 0, max: 0.5, noNaN: true }),
    to: fc.double({ min: 0.5, max: 1, noNaN: true }),
    wounds: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), noise, fc.nat(40)), {
      maxLength: 6,
    }),
  })
  .map(({ source, from, to, wounds }) => {
    const whole = source.text.slice(from * source.text.length, to * source.text.length)
    const text = wounds.reduce((current, [place, inserted, removed]) => {
      const at = Math.floor(place * current.length)
      return current.slice(0, at) + inserted + current.slice(at + removed)
    }, whole)
    return { path: source.path, text }
  })

const rubbish = fc.record({
  path: fc.constantFrom(...NAMES),
  text: fc
    .array(fc.oneof(noise, fc.string({ unit: "grapheme", maxLength: 30 })), { maxLength: 60 })
    .map((parts) => parts.join("")),
})

test("chunks cover every line of every undamaged sample file", async () => {
  expect(sources.length).toBeGreaterThan(30)
  for (const { path, text } of sources) {
    const file = await parseFile(path, text, { chunkTokens: 200, mergeTokens: 60, timeoutMs: 5000 })
    expectCovered(file, text)
  }
}, 30_000)

test("chunks cover every non-blank line in order and without overlap, however damaged the file", async () => {
  await fc.assert(
    fc.asyncProperty(damaged, sizes, async ({ path, text }, options) => {
      expectCovered(await parseFile(path, text, options), text)
    }),
    { numRuns: 250 },
  )
}, 60_000)

test("chunks cover random bytes under any name", async () => {
  await fc.assert(
    fc.asyncProperty(rubbish, sizes, async ({ path, text }, options) => {
      expectCovered(await parseFile(path, text, options), text)
    }),
    { numRuns: 250 },
  )
}, 60_000)

test("cuts a tree 100,000 levels deep without a stack overflow", async () => {
  const depth = 100_000
  for (const [path, one, other] of [
    ["a.js", "[", "]"],
    ["a.js", "[\n", "]\n"],
    ["a.py", "(\n", ")\n"],
  ] as const) {
    const text = one.repeat(depth) + other.repeat(depth)
    expectCovered(await parseFile(path, text, { chunkTokens: 20, mergeTokens: 0, timeoutMs: 10_000 }), text)
  }
}, 60_000)
