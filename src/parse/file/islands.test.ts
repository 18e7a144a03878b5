import { expect, test } from "bun:test"
import { cpuTime } from "../../../test/cpu-time.ts"
import { DEFAULT_PARSE_OPTIONS, parseFile } from "./parse.ts"

async function namesIn(path: string, text: string): Promise<string[]> {
  const { chunks } = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
  return chunks.flatMap(({ symbols }) => symbols.map(({ name, startLine }) => `${startLine} ${name}`))
}

test("reads an island without room for the class around it", async () => {
  expect(await namesIn("a.cshtml", "@code{\nvoid Go() {}\n}\n")).toEqual(["2 Go"])
})

test("reads all islands of a document as one type, with the braces of their strings", async () => {
  const text =
    '<p/>\n\n@code {\n  string a = "}";\n  void One() {}\n}\n<p>{</p>\n@code {\n  void Two() {}\n}\n'
  expect(await namesIn("a.cshtml", text)).toEqual(["5 One", "9 Two"])
})

test("reads an island that is not closed to the end", async () => {
  expect(await namesIn("a.rmd", "```{r}\nf <- function(x) {\n  x\n}\n")).toEqual(["2 f"])
})

const PIECES = [
  "@code {",
  "@code {\n",
  '@code {"',
  "@php ",
  "<?php ",
  "<%!",
  "```{r}\n",
  "~~~\n",
  "export\n\n",
  "{",
  '"',
  "/*",
]

test("takes no more than linear time for any document", async () => {
  for (const piece of PIECES)
    for (const path of ["a.razor", "a.blade.php", "a.jsp", "a.mako", "a.qmd", "a.mdx"]) {
      const started = cpuTime()
      await parseFile(path, piece.repeat(Math.ceil(40_000 / piece.length)), DEFAULT_PARSE_OPTIONS)
      // The limit of the parser is 5 s; quadratic time here would be minutes.
      expect({ piece, path, isSlow: cpuTime() - started > 6000 }).toMatchObject({ isSlow: false })
    }
}, 120_000)
