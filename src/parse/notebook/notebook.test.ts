import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { DEFAULT_PARSE_OPTIONS, parseFile } from "../file/parse.ts"
import { displayText, readableText } from "../readable-text.ts"

const UNMERGED = { ...DEFAULT_PARSE_OPTIONS, mergeTokens: 0 }

type CellSource = readonly [kind: "code" | "markdown", source: string, outputs?: readonly unknown[]]

function cell([kind, source, outputs]: CellSource) {
  const lines = source.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const code = kind === "code" ? { execution_count: 1, outputs: outputs ?? [] } : {}
  return { cell_type: kind, id: "abc", metadata: {}, ...code, source: lines }
}

function notebook(cells: readonly CellSource[], language = "python") {
  const metadata = { kernelspec: { display_name: "x", name: "x" }, language_info: { name: language } }
  return { cells: cells.map(cell), metadata, nbformat: 4, nbformat_minor: 5 }
}

const CELLS: readonly CellSource[] = [
  ["markdown", "# Shop\n\nHow orders are *cleaned*."],
  ["code", "%matplotlib inline\nimport pandas as pd\n!pip install x"],
  ["markdown", "## Cleaning"],
  [
    "code",
    'def clean(orders):\n    """Drops what is broken."""\n    return orders.dropna()\n',
    [{ output_type: "stream", text: Array.from({ length: 30 }, (_, at) => `secret output ${at}\n`) }],
  ],
  ["code", "class Report:\n    def total(self):\n        return 1"],
]

describe("a notebook", () => {
  const text = JSON.stringify(notebook(CELLS), null, 1)

  test("is read without its outputs, with the rows of the file", () => {
    const rows = readableText("a.ipynb", text).split("\n")
    expect(rows.length).toBe(text.split("\n").length)
    expect(rows.join("\n")).not.toContain("secret output")
    const row = text.split("\n").findIndex((line) => line.includes("def clean"))
    expect(rows[row]).toBe("def clean(orders):")
    expect(rows[row + 2]).toBe("    return orders.dropna()")
    expect(readableText("a.json", text)).toBe(text)
  })

  test("is cut by cells: code by its language, Markdown into sections", async () => {
    const file = await parseFile("a.ipynb", text, UNMERGED)
    expect(file).toMatchObject({
      language: "notebook",
      method: "notebook",
      degraded: null,
      imports: ["pandas"],
    })
    const symbols = file.chunks.flatMap((chunk) => chunk.symbols)
    expect(symbols.map(({ kind, name, owner }) => [kind, name, owner])).toEqual([
      ["section", "Shop", null],
      ["section", "Cleaning", null],
      ["function", "clean", null],
      ["class", "Report", null],
      ["method", "total", "Report"],
    ])
    const clean = symbols.find(({ name }) => name === "clean")!
    expect(clean).toMatchObject({ doc: "Drops what is broken.", signature: "def clean(orders)" })
    expect(text.split("\n")[clean.startLine - 1]).toContain("def clean(orders):")
    // The outputs are stored above the source of their cell, so they separate it from the cell before.
    const chunk = file.chunks.find(({ symbols: [first] }) => first?.name === "clean")!
    expect(file.text.slice(chunk.start, chunk.end).trim()).toStartWith("def clean")
  })

  test("written on one row is one chunk with a visible sign between its lines", async () => {
    const file = await parseFile("a.ipynb", JSON.stringify(notebook(CELLS)), UNMERGED)
    expect(file.chunks).toHaveLength(1)
    expect(file.chunks[0]).toMatchObject({ startLine: 1, endLine: 1 })
    expect(file.chunks[0]!.symbols.map(({ name }) => name)).toContain("clean")
    expect(displayText(file.text)).toContain('def clean(orders): ⏎     """Drops')
  })

  test("is read with sources as single strings and with other languages", async () => {
    const json = {
      ...notebook([]),
      cells: [{ cell_type: "code", metadata: {}, outputs: [], source: "a <- function(x) x\nb" }],
    }
    const file = await parseFile("a.ipynb", JSON.stringify(json, null, 1), UNMERGED)
    expect(file.text).toContain("a <- function(x) x\u2028b")
    const julia = await parseFile(
      "a.ipynb",
      JSON.stringify(notebook([["code", "x"]], "nonsense"), null, 1),
      UNMERGED,
    )
    expect(julia).toMatchObject({ method: "notebook", degraded: null })
  })

  test("that cannot be read as a notebook is cut like any text", async () => {
    for (const broken of ["{}", "", "[1, 2", '{"cells": 5}', "not json at all\n"]) {
      const file = await parseFile("a.ipynb", broken, UNMERGED)
      expect(file).toMatchObject({ method: "lines", text: broken })
    }
  })
})

test("keeps the rows of the file and puts every source into a chunk, whatever the notebook contains", async () => {
  const source = fc
    .array(
      fc.constantFrom(
        "a\n",
        "def f():\n",
        "  x\n",
        "# T\n",
        "\n",
        '"\n',
        "\\",
        "```\n",
        "\u2028",
        "é😀\n",
        "\t}\n",
        "%x\n",
      ),
    )
    .map((parts) => parts.join(""))
  const cells = fc.array(fc.tuple(fc.constantFrom("code" as const, "markdown" as const), source), {
    maxLength: 12,
  })
  const wound = fc.tuple(fc.nat(4000), fc.constantFrom('"', "{", "]", "\\", "\n", ""))
  await fc.assert(
    fc.asyncProperty(
      cells,
      fc.constantFrom(0, 1),
      fc.array(wound, { maxLength: 3 }),
      async (all, indent, wounds) => {
        const whole = JSON.stringify(notebook(all), null, indent)
        const text = wounds.reduce((now, [at, piece]) => now.slice(0, at) + piece + now.slice(at + 1), whole)
        const file = await parseFile("a.ipynb", text, UNMERGED)
        const rows = file.text.split("\n")
        expect(rows.length).toBe(text.split("\n").length)
        const covered = new Set(
          file.chunks.flatMap(({ startLine, endLine }) =>
            Array.from({ length: endLine - startLine + 1 }, (_, at) => startLine + at),
          ),
        )
        for (const [at, row] of rows.entries()) if (row.trim() !== "") expect(covered).toContain(at + 1)
      },
    ),
    { numRuns: 300 },
  )
}, 60_000)
