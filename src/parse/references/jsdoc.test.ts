import { expect, test } from "bun:test"
import fc from "fast-check"
import { cpuTime } from "../../../test/cpu-time.ts"
import { DEFAULT_PARSE_OPTIONS, parseFile } from "../file/parse.ts"
import { textLines } from "../text-lines.ts"
import { DOCUMENTED_TYPE, jsdocOf } from "./jsdoc.ts"
import { USE } from "./use-code.ts"

async function parsed(path: string, text: string) {
  const file = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
  const uses = (file.uses?.() ?? []).map(
    ({ line, name, flags, qualifier, path: of }) => `${line} ${name} ${flags} ${of ?? qualifier ?? "-"}`,
  )
  const symbols = file.chunks.flatMap((chunk) =>
    chunk.symbols.map(({ startLine, endLine, kind, owner, signature }) =>
      [`${startLine}-${endLine}`, kind, owner ?? "-", signature].join(" "),
    ),
  )
  return { uses, symbols }
}

const { import: IMPORT, member: MEMBER, declares: DECLARES, base: BASE, call: CALL, local: LOCAL } = USE

test.each<[string, string, string[]]>([
  [
    "a type of another module",
    '/** @type {import("./shop.js").Shop} */\nlet x\n',
    [`1 Shop ${IMPORT} ./shop.js`],
  ],
  [
    "a type in a namespace",
    "/** @param {ts.Node<Row>} node */\nfunction f(node) {}\n",
    [`1 Node ${MEMBER} ts`, "1 Row 0 -"],
  ],
  [
    "types in an array, a union and a function",
    "/** @param {Array.<Row>|?Cart|function(Shop): Tax} a */\nf()\n",
    ["1 Row 0 -", "1 Cart 0 -", "1 Shop 0 -", "1 Tax 0 -"],
  ],
  [
    "several lines",
    "/**\n * @param {{\n *   row: Row,\n *   cart?: Cart\n * }} a\n */\nf()\n",
    ["3 Row 0 -", "4 Cart 0 -"],
  ],
  ["a link", "/** See {@link Shop.open}. */\nf()\n", ["1 Shop 0 -", `1 open ${MEMBER} Shop`]],
  [
    "an import",
    '/** @import { Shop, Row as CartRow } from "./shop.js" */\n/** @type {CartRow} */\nlet x\n',
    [`1 Shop ${IMPORT} ./shop.js`, `1 Row ${IMPORT} ./shop.js`, "2 Row 0 -"],
  ],
  [
    "an import of several lines",
    '/**\n * @import {\n *   Shop,\n *   Row as CartRow,\n * } from "./shop.js"\n * @import * as all from "./all.js"\n */\n',
    [`3 Shop ${IMPORT} ./shop.js`, `4 Row ${IMPORT} ./shop.js`, `6 all ${IMPORT} ./all.js`],
  ],
  ["a base type", "/** @extends {Shop<Row>} */\nclass Cart {}\n", ["1 Row 0 -", `1 Shop ${BASE} Cart`]],
])("reads %s", async (_, text, wanted) => {
  expect((await parsed("a.js", text)).uses).toEqual(expect.arrayContaining(wanted))
})

test("in PHP, comments state types without braces", async () => {
  const text = `<?php
/**
 * @param \\Shop\\Row|null $row the row
 * @param array<int, Cart> ...$all
 * @return $this
 */
function open($row, ...$all) {
  /** @var Qx\\Tax $tax */
  $tax = made($row);
}
`.replaceAll("\\\\", "\\")
  expect((await parsed("a.php", text)).uses).toEqual(
    expect.arrayContaining([
      "3 Shop 0 -",
      `3 Row ${MEMBER} Shop`,
      "4 Cart 0 -",
      `7 row ${DECLARES} :Shop/Row|null`,
      `7 ${DOCUMENTED_TYPE} ${DECLARES} static`,
      `8 Tax ${MEMBER} Qx`,
      `9 tax ${DECLARES} :Qx/Tax`,
    ]),
  )
})

test("keys, names of parameters, strings, type parameters and plain words are no uses", async () => {
  const text =
    "/**\n * @template Item\n * @param {{ size: number, kind: \"Shop\" | 'Cart' }} a mail shop@Example.org\n * @param {(row: string) => Item} b\n */\nf()\n"
  expect((await parsed("a.js", text)).uses).toEqual([`6 f ${CALL} -`])
})

test("@typedef and @callback define types with members", async () => {
  const text =
    "/**\n * @typedef {object} Shop\n * @property {Row[]} rows\n * @property {string} [name]\n */\n/** @typedef {{ open: Shop, at?: number }} Day */\n/**\n * @callback Opener\n * @param {Shop} shop\n * @returns {Promise<Day>}\n */\n"
  expect((await parsed("a.js", text)).symbols).toEqual([
    "2-5 type - type Shop",
    "3-3 property Shop rows: Row[]",
    "4-4 property Shop name: string",
    "6-6 type - type Day = { open: Shop, at?: number }",
    "6-6 property Day open: Shop",
    "6-6 property Day at: number",
    "8-11 type - type Opener = (shop: Shop) => Promise<Day>",
  ])
})

test("declared types reach parameters, patterns, results, variables, fields and casts", async () => {
  const text =
    "/**\n * @param {Shop} shop\n * @param {Options} options\n * @returns {Cart}\n */\nexport function fill(shop, { rows }) {\n  return /** @type {Cart} */ (shop.all).first\n}\nclass A {\n  /** @type {Map<string, Cart>} */\n  carts = null\n}\n/** @type {Shop} */\nconst shop = load()\n"
  expect((await parsed("a.js", text)).uses).toEqual(
    expect.arrayContaining([
      `6 shop ${DECLARES | LOCAL} :Shop`,
      `6 rows ${DECLARES | LOCAL | MEMBER} :Options`,
      `6 ${DOCUMENTED_TYPE} ${DECLARES} Cart`,
      `7 first ${MEMBER} :Cart`,
      `11 ${DOCUMENTED_TYPE} ${DECLARES} Map<string, Cart>`,
      `14 shop ${DECLARES} :Shop`,
    ]),
  )
})

test("in TypeScript files, comments mention names and declare nothing", async () => {
  expect(await parsed("a.ts", "/** @typedef {Shop} Cart */\n/** @param {Row} a */\n")).toEqual({
    uses: ["1 Shop 0 -", "2 Row 0 -"],
    symbols: [],
  })
})

const PIECES = [
  ..."{}()[]<>*|?,:;'\"`\\@.= \n",
  "/**",
  "*/",
  "@param ",
  "@typedef ",
  "@callback ",
  "@property ",
  "@template ",
  "@returns ",
  "@type ",
  "@import ",
  "@extends ",
  "{@link ",
  "import(",
  "from ",
  "as ",
  "Shop",
  "row",
  "function f(",
  "class A {",
  "é",
]

test("every name of a random comment stands on its line", async () => {
  const text = fc
    .array(fc.constantFrom(...PIECES), { maxLength: 60 })
    .map((parts) => `/**${parts.join("")}*/`)
  await fc.assert(
    fc.asyncProperty(text, async (code) => {
      const file = await parseFile("a.js", code, DEFAULT_PARSE_OPTIONS)
      const lines = code.split("\n")
      for (const { name, line } of file.uses?.() ?? [])
        if (!name.includes(" ")) expect(lines[line - 1]).toContain(name)
    }),
    { numRuns: 300 },
  )
})

test("a comment that repeats any piece is read in bounded time", () => {
  for (const one of PIECES) {
    for (const before of ["/** @type {", "/** @param {{ a: ", "/** @import "]) {
      const comment = `${before}${`${one} `.repeat(20_000).slice(0, 20_000)}`
      const lines = textLines(comment.repeat(50))
      const spans = Uint32Array.from({ length: 100 }, (_, at) => Math.ceil(at / 2) * comment.length)
      const started = cpuTime()
      jsdocOf("javascript", lines, spans)
      expect({ one, before, isSlow: cpuTime() - started > 2000 }).toEqual({ one, before, isSlow: false })
    }
  }
}, 60_000)
