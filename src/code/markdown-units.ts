import { fromMarkdown } from "mdast-util-from-markdown"
import { gfmTableFromMarkdown } from "mdast-util-gfm-table"
import { gfmTable } from "micromark-extension-gfm-table"
import { type Definition, type NestedDefinition, nestDefinitions } from "./definitions.ts"
import { lineUnits } from "./line-units.ts"
import { rowAt, type TextLines } from "./text-lines.ts"
import type { Unit } from "./unit.ts"

type Block = {
  /** 1 to 6 for a heading, else 0. */
  readonly depth: number
  readonly startRow: number
  readonly section: NestedDefinition | null
  /** Rows where its items begin, for a list. */
  readonly itemRows: readonly number[]
}

type Nodes = ReturnType<typeof fromMarkdown>["children"]
type Rows = { readonly startRow: number; readonly endRow: number }

/** Sections hold blocks and sections; a heading is a definition that reaches to the next of its depth. */
export function markdownUnits(
  lines: TextLines,
  runChars: number,
): { units: Unit[]; sections: NestedDefinition[] } {
  const options = { extensions: [gfmTable(), BLOCKS_ONLY], mdastExtensions: [gfmTableFromMarkdown()] }
  const { children } = fromMarkdown(withoutFrontMatter(lines.text), options)
  const sections = nestDefinitions(sectionsOf(children, lines))
  const byStart = new Map(sections.map((section) => [section.start, section]))
  const blocks = children.map((node): Block => {
    const start = node.position?.start.offset ?? 0
    const items = node.type === "list" ? node.children : []
    return {
      depth: node.type === "heading" ? node.depth : 0,
      startRow: rowAt(lines, start),
      section: node.type === "heading" ? (byStart.get(start) ?? null) : null,
      itemRows: items.map((item) => rowAt(lines, item.position?.start.offset ?? start)),
    }
  })
  const rows = { startRow: 0, endRow: lines.count - 1 }
  return { units: unitsOf(blocks, rows, null, { lines, runChars }), sections }
}

const MAX_HEADING_CHARS = 120

/** What is inside a paragraph cuts nothing, and takes a quarter of the time. */
const BLOCKS_ONLY = {
  disable: {
    null: [
      "attention",
      "autolink",
      "codeText",
      "hardBreakEscape",
      "htmlText",
      "labelEnd",
      "labelStartImage",
      "labelStartLink",
      "characterEscape",
      "characterReference",
    ],
  },
}

type Page = { readonly lines: TextLines; readonly runChars: number }

/** A front matter block is not Markdown: its `---` would turn the line above into a heading. */
function withoutFrontMatter(text: string): string {
  const match = /^---[ \t]*\r?\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  return match ? match[0].replace(/[^\r\n]/g, " ") + text.slice(match[0].length) : text
}

function sectionsOf(nodes: Nodes, { text }: TextLines): Definition[] {
  const sections: Definition[] = []
  // Where the section after this one begins, by depth: read from the end, each heading closes those above it.
  const nextStart = new Array<number>(7).fill(text.length)
  for (const node of nodes.toReversed()) {
    if (node.type !== "heading") continue
    const start = node.position?.start.offset ?? 0
    const name = plainText(
      text.slice(node.children[0]?.position?.start.offset, node.children.at(-1)?.position?.end.offset),
    )
    const end = nextStart[node.depth]!
    nextStart.fill(start, node.depth)
    const bodyStart = node.position?.end.offset ?? null
    if (node.children.length === 0 || name === "") continue
    sections.push({ name, kind: "section", start, end, bodyStart, owner: null, isSpread: false })
  }
  return sections
}

/** `**Using** [the CLI](cli.md) ![build](badge.svg)` → `Using the CLI`. */
function plainText(markdown: string): string {
  return markdown
    .replace(/!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?/g, "")
    .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?/g, "$1")
    .replace(/<[^>]+>|&\w+;|[*`]/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, MAX_HEADING_CHARS)
}

function unitsOf(blocks: readonly Block[], rows: Rows, scope: string | null, page: Page): Unit[] {
  if (blocks.length === 0) return lineUnits(page.lines, rows, scope, page.runChars)
  const units: Unit[] = []
  for (let at = 0; at < blocks.length; ) {
    const next = blocks[at]!.section ? sectionEnd(blocks, at) : at + 1
    const startRow = at === 0 ? rows.startRow : blocks[at]!.startRow
    const endRow = (blocks[next]?.startRow ?? rows.endRow + 1) - 1
    units.push(unitOf(blocks.slice(at, next), { startRow, endRow }, scope, page))
    at = next
  }
  return units
}

function sectionEnd(blocks: readonly Block[], at: number): number {
  const { depth } = blocks[at]!
  let next = at + 1
  while (next < blocks.length && !(blocks[next]!.depth > 0 && blocks[next]!.depth <= depth)) next++
  return next
}

function unitOf(blocks: readonly Block[], rows: Rows, scope: string | null, page: Page): Unit {
  const [head, ...rest] = blocks as [Block, ...Block[]]
  const innerScope = head.section?.path ?? scope
  const plain = (part: Rows): Unit => ({
    ...part,
    holds: "statements",
    defines: false,
    innerScope: scope,
    open: () => lineUnits(page.lines, part, scope, page.runChars),
  })
  if (!head.section) return { ...plain(rows), open: () => items(head, rows, plain) }
  const headEnd = rest[0] ? rest[0].startRow - 1 : rows.endRow
  return {
    ...rows,
    holds: "members",
    defines: true,
    innerScope,
    open: () => [
      plain({ startRow: rows.startRow, endRow: headEnd }),
      ...(rest[0]
        ? unitsOf(rest, { startRow: rest[0].startRow, endRow: rows.endRow }, innerScope, page)
        : []),
    ],
  }
}

/** The items of a list, or the lines of anything else. */
function items(block: Block, rows: Rows, plain: (rows: Rows) => Unit): Unit[] {
  const starts = block.itemRows.slice(1)
  if (starts.length === 0) return plain(rows).open()
  return [rows.startRow, ...starts].map((startRow, index) =>
    plain({ startRow, endRow: (starts[index] ?? rows.endRow + 1) - 1 }),
  )
}
