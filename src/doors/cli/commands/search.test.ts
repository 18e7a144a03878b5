import { expect, test } from "bun:test"
import { colorsIf } from "../output.ts"
import { excerpt, explanationTable, highlight, queryWords } from "./search.ts"

test("prints one row per feature and the sum below the column", () => {
  const features = [
    { name: "words in body", value: 1, weight: 2.5, contribution: 2.5 },
    { name: "test", value: 1, weight: -0.75, contribution: -0.75 },
  ]
  const table = explanationTable(
    0.9,
    { channels: { keyword: 1, vector: 12 }, features, sum: 1.75 },
    colorsIf(false),
  )
  expect(table.split("\n")).toEqual([
    "  found by keyword #1, vector #12",
    "  feature        value  weight   share",
    "  words in body  1.000   2.500  +2.500",
    "  test           1.000  -0.750  -0.750",
    "  sum                           +1.750  score 0.900",
  ])
})

const result = (lines: readonly string[], symbol: string | null = null) => ({
  text: lines.join("\n"),
  start_line: 101,
  symbol,
})
const blank = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`)
const numbers = (shown: ReturnType<typeof excerpt>) => shown.map(({ number }) => number)

test("shows a short result completely, without blank lines at its end", () => {
  const shown = excerpt(result(["a", "b", "", ""]), [], 12)
  expect(numbers(shown)).toEqual([101, 102])
})

test("shows the lines with the most query words and no others", () => {
  const lines = [...blank(20), "retry", "limit", ...blank(20)]
  const shown = excerpt(result(lines), ["retry", "limit"], 4)
  const from = numbers(shown)[0]!
  expect(numbers(shown)).toEqual([from, from + 1, from + 2, from + 3])
  expect(shown.map(({ text }) => text)).toEqual(lines.slice(from - 101, from - 97))
  expect(shown.map(({ text }) => text).slice(0, 4)).toEqual(expect.arrayContaining(["retry", "limit"]))
})

test("places the symbol near the top, so that its body follows", () => {
  const lines = [...blank(10), "function limitRetries() {", ...blank(10)]
  const shown = excerpt(result(lines, "Client.limitRetries"), ["unknown"], 6)
  expect(shown.slice(0, 4).map(({ text }) => text)).toContain("function limitRetries() {")
})

test("does not take a longer name that contains the symbol for the symbol", () => {
  const lines = ["type Ranked = {", ...blank(10), "function rank() {", ...blank(10)]
  expect(excerpt(result(lines, "rank"), [], 6).map(({ text }) => text)).toContain("function rank() {")
  expect(excerpt(result(["$a", ...blank(10), "$b"], "$b"), [], 3)[0]!.number).toBe(110)
})

test("ignores stop words of a question", () => {
  expect(queryWords({ query: "Where is the retryLimit of an HTTP call? 漢字 x" })).toEqual([
    "retrylimit",
    "http",
    "call",
    "漢字",
  ])
})

const colors = colorsIf(true)
const plain = (line: string) => Bun.stripANSI(line)

test("colours keywords, strings and comments without changing the text", async () => {
  const text = 'func Retry() error {\n\t// again\n\treturn errors.New("x")\n}'
  const lines = await highlight({ text, language: "go", symbol: null }, [], colors)
  expect(lines.map(plain).join("\n")).toBe(text)
  expect(lines[0]).toStartWith(colors.magenta("func"))
  expect(lines[1]).toContain(colors.gray("// again"))
  expect(lines[2]).toContain(colors.green('"x"'))
})

test("colours every line of a comment over several lines", async () => {
  const lines = await highlight({ text: "/* a\n b */ int x;", language: "c", symbol: null }, [], colors)
  expect(lines[0]).toBe(colors.gray("/* a"))
  expect(lines[1]).toStartWith(colors.gray(" b */"))
})

test("highlights query words and the symbol, also in a language without a grammar", async () => {
  const text = "Retry the LIMIT. (a+b)"
  const [line] = await highlight({ text, language: "cobol", symbol: "Net.Retry" }, ["limit", "(a+b)"], colors)
  const mark = (word: string) => colors.bold(colors.underline(word))
  expect(line).toBe(`${mark("Retry")} the ${mark("LIMIT")}. ${mark("(a+b)")}`)
})

test("returns the text unchanged when colour is off", async () => {
  const result = { text: "return 1\n", language: "go", symbol: "return" }
  expect(await highlight(result, ["return"], colorsIf(false))).toEqual(["return 1", ""])
})

test.each([
  "c",
  "go",
  "java",
  "javascript",
  "python",
  "rust",
  "typescript",
  "markdown",
  "html",
  "bash",
  "yaml",
])("no text of %s is lost", async (language) => {
  const text = "# a `b` $c <d e='f'>\n\"unclosed\n'''\n```\n\\\n/* \u{1f642} */ fn x => {}\n\t// z\n"
  const lines = await highlight({ text, language, symbol: null }, ["b"], colors)
  expect(lines.map(plain).join("\n")).toBe(text)
})
