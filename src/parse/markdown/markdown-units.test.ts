import { describe, expect, test } from "bun:test"
import { parseFile } from "../file/parse.ts"
import { textLines } from "../text-lines.ts"
import { blocksOf } from "./markdown-blocks.ts"

const SIZES = { chunkTokens: 40, mergeTokens: 0, timeoutMs: 1000 }

const PAGE = `---
title: Guide
---

# The *Guide*

Some words.

## Install [the CLI](cli.md)

\`\`\`sh
# not a heading

npm install
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

## Use

Words.
`

test("cuts a page into sections whose scope is the path of headings", async () => {
  const { chunks, method } = await parseFile("a.md", PAGE, SIZES)
  expect(method).toBe("markdown")
  expect(chunks.map(({ startLine, endLine, scope }) => [startLine, endLine, scope])).toEqual([
    [1, 19, null],
    [21, 23, "Guide.The Guide"],
  ])
  const symbols = chunks.flatMap((chunk) => chunk.symbols)
  expect(symbols.map(({ name, kind, owner, endLine }) => [name, kind, owner, endLine])).toEqual([
    ["Guide", "section", null, 23],
    ["The Guide", "section", null, 23],
    ["Install the CLI", "section", null, 19],
    ["Use", "section", null, 23],
  ])
})

test("keeps fences and tables whole unless they alone exceed the limit", async () => {
  const fence = (lines: number) => `\`\`\`\n${"let x = 1\n\n".repeat(lines)}\`\`\`\n`
  const text = `# A\n\n${"Words of text. ".repeat(9)}\n\n${fence(10)}\n${"Words of text. ".repeat(9)}\n\n${fence(40)}`
  const { chunks } = await parseFile("a.md", text, SIZES)
  const spans = chunks.map((chunk) => text.slice(chunk.start, chunk.end))
  expect(spans.filter((span) => span.startsWith("```") && span.trimEnd().endsWith("```"))).toEqual([
    fence(10),
  ])
  for (const span of spans) expect(span.length).toBeLessThanOrEqual(160)
})

test("cuts a list longer than the limit between its items", async () => {
  const item = "- an item of the list\n  that goes on\n"
  const { chunks } = await parseFile("a.md", item.repeat(12), SIZES)
  expect(chunks.length).toBeGreaterThan(1)
  for (const chunk of chunks) expect(chunk.startLine % 2).toBe(1)
})

test("takes little time for pages that nest or repeat signs, and cuts the longest by lines", async () => {
  const parts = [
    "> ",
    "- ",
    "- - a\n",
    "a\n===\n",
    "\n\n> a",
    "[a]: <",
    "<a b",
    "|-",
    "[a]: b\n",
    "[a\n",
    "`",
  ]
  const pages = [...parts.map((part) => part.repeat(20_000)), `${"- ".repeat(20_000)}a${"\n".repeat(20_000)}`]
  for (const page of pages) {
    const started = process.cpuUsage()
    const file = await parseFile("a.md", `${page}\n\n# End\n`, { ...SIZES, chunkTokens: 1500 })
    expect(file.method).toBe("markdown")
    expect(process.cpuUsage(started).user).toBeLessThan(3_000_000)
  }
  const { method, degraded } = await parseFile("a.md", "a\n".repeat(600_000), SIZES)
  expect({ method, degraded }).toEqual({ method: "lines", degraded: "too long for the Markdown parser" })
})

test("finds where blocks, headings and items begin, with any line ends", () => {
  const page = [
    "+++",
    "a = 1",
    "+++",
    "[a]: b",
    "[c]:",
    "  d",
    "  ## B #  ",
    "a",
    "b",
    "---",
    "> q",
    "r",
    "* i",
    "",
    "  j",
    "* k",
    "",
    "| x |",
    "|---|",
  ]
  for (const end of ["\n", "\r\n"]) {
    const lines = textLines(page.join(end))
    expect(blocksOf(lines).map(({ row, itemRows }) => [row, ...itemRows])).toEqual([
      [0],
      [3],
      [4],
      [6],
      [7],
      [10],
      [12, 12, 15],
      [17],
    ])
    const headings = blocksOf(lines).flatMap(({ heading }) => heading ?? [])
    expect(headings.map(({ level, text }) => [level, text])).toEqual([
      [2, "B"],
      [2, "a\nb"],
    ])
    expect(headings.map(({ start, end }) => lines.text.slice(start, end))).toEqual([
      "## B #  ",
      ["a", "b", "---"].join(end),
    ])
  }
})

describe("front matter", () => {
  const names = async (text: string) => {
    const { chunks, method } = await parseFile("a.mdx", text, SIZES)
    expect(method).toBe("markdown")
    return chunks.flatMap((chunk) => chunk.symbols.map(({ name }) => name))
  }

  test("gives the page its title, in YAML and in TOML, unless the first heading is the same", async () => {
    expect(await names("---\ntitle: 'Deploy: a guide'\ntags: [ops]\n---\n\n## First\n")).toEqual([
      "Deploy: a guide",
      "First",
    ])
    expect(await names('+++\ntitle = "Deploy"\ntags = ["ops"]\n+++\ntext\n')).toEqual(["Deploy"])
    expect(await names("---\ntitle: the guide\n---\n\n# The guide\n")).toEqual(["The guide"])
  })

  test("is treated as text when it cannot be parsed or is something else", async () => {
    expect(await names("---\ntitle: [broken\n---\n\n# A\n")).toEqual(["A"])
    expect(await names(`---\na: &a [x]\nb: ${"[".repeat(5000)}\n---\n\n# A\n`)).toEqual(["A"])
    expect(await names("---\n- a list\n---\n\n# A\n")).toEqual(["A"])
    expect(await names("---\ntitle: {a: 1}\n---\n\n# A\n")).toEqual(["A"])
  })
})

test("MDX imports, exports and components are not headings", async () => {
  const text = `import { Tabs } from "./tabs"
export const meta = { title: "x" }
---

# Guide

<Tabs items={["a", "b"]}>

## Inside

{props.children.map((child) => <p>{child}</p>)}

</Tabs>

export default ({ children }) => <div>{children}</div>

## After
`
  const { chunks, method, degraded } = await parseFile("a.mdx", text, SIZES)
  expect({ method, degraded }).toEqual({ method: "markdown", degraded: null })
  const sections = chunks.flatMap(({ symbols }) => symbols.filter(({ kind }) => kind === "section"))
  expect(sections.map(({ name }) => name)).toEqual(["Guide", "Inside", "After"])
})
