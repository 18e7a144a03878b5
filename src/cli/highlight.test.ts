import { expect, test } from "bun:test"
import picocolors from "picocolors"
import { highlight } from "./highlight.ts"

const colors = picocolors.createColors(true)
const plain = (line: string) => Bun.stripANSI(line)

test("keywords, strings and comments are coloured, and the text stays what it was", async () => {
  const text = 'func Retry() error {\n\t// again\n\treturn errors.New("x")\n}'
  const lines = await highlight({ text, language: "go", symbol: null }, [], colors)
  expect(lines.map(plain).join("\n")).toBe(text)
  expect(lines[0]).toStartWith(colors.magenta("func"))
  expect(lines[1]).toContain(colors.gray("// again"))
  expect(lines[2]).toContain(colors.green('"x"'))
})

test("a comment over several lines is coloured on each of them", async () => {
  const lines = await highlight({ text: "/* a\n b */ int x;", language: "c", symbol: null }, [], colors)
  expect(lines[0]).toBe(colors.gray("/* a"))
  expect(lines[1]).toStartWith(colors.gray(" b */"))
})

test("the words of the query and the symbol stand out, in a language without a grammar too", async () => {
  const text = "Retry the LIMIT. (a+b)"
  const [line] = await highlight({ text, language: "cobol", symbol: "Net.Retry" }, ["limit", "(a+b)"], colors)
  const mark = (word: string) => colors.bold(colors.underline(word))
  expect(line).toBe(`${mark("Retry")} the ${mark("LIMIT")}. ${mark("(a+b)")}`)
})

test("without colour nothing is done", async () => {
  const result = { text: "return 1\n", language: "go", symbol: "return" }
  expect(await highlight(result, ["return"], picocolors.createColors(false))).toEqual(["return 1", ""])
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
