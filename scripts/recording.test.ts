import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { spansOf } from "./release/ansi-spans.ts"
import { project } from "./release/product.ts"
import { terminalSvg } from "./release/terminal-svg.ts"

const recorded = readFileSync(join(project, "docs", "recording.svg"), "utf8")

test("docs/recording.svg is well-formed and shows the output of the program", () => {
  expect(openTags(recorded)).toEqual([])
  expect(recorded).toContain("Made by scripts/recording.ts from the program itself: aman search")
  for (const shown of ["src/parse/chunk/chunk.ts", "that code has changed since"])
    expect(recorded).toContain(shown)
  expect(recorded).not.toMatch(/<script|href=|url\(|<foreignObject|\bon\w+=/)
  // No path of the machine on which it was made.
  expect(recorded).not.toMatch(/\/(?:tmp|home|root|Users)\//)
})

test("converts a terminal's lines to coloured spans with their column", () => {
  const plain = { color: null, bold: false, dim: false, underline: false }
  expect(spansOf("\u001b[1mtwo\u001b[22m words\r\n\u001b[90;4mé│x\u001b[0m.")).toEqual([
    [
      { text: "two", column: 0, style: { ...plain, bold: true } },
      { text: " words", column: 3, style: plain },
    ],
    [
      { text: "é│x", column: 0, style: { ...plain, color: 8, underline: true } },
      { text: ".", column: 3, style: plain },
    ],
  ])
})

test("the picture is well-formed and runs nothing, whatever text it shows", () => {
  const lines = spansOf("</text><script>alert(1)</script>&amp;<!-- \u001b[31m]]>\u001b[0m")
  const svg = terminalSvg({
    title: "<b>",
    description: "a & b",
    columns: 40,
    rows: 3,
    scenes: [
      { seconds: 2, lines },
      { seconds: 3, lines: [] },
    ],
  })
  expect(openTags(svg)).toEqual([])
  expect(svg).not.toContain("<script")
  expect(svg).toContain("@keyframes k1 { 0% { opacity: 0 } 40% { opacity: 1 } }")
})

test("reports malformed XML", () => {
  expect(openTags("<svg><g></svg>")).not.toEqual([])
  expect(openTags("<svg>a & b</svg>")).not.toEqual([])
})

/**
 * Open or mismatched tags of an XML text; empty if it is well-formed. Supports only what these pictures
 * contain.
 */
function openTags(xml: string): string[] {
  const open: string[] = []
  const text = xml.replace(
    /<(\/?)(\w+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g,
    (_, closes, name, _attributes, empty) => {
      if (closes === "") open.push(...(empty === "" ? [name] : []))
      else if (open.at(-1) === name) open.pop()
      else open.push(`</${name}`)
      return ""
    },
  )
  const wrong = text.match(/[<>]|&(?!(?:amp|lt|gt|quot);)/g) ?? []
  return [...open, ...wrong]
}
