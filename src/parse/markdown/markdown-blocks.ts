import MarkdownIt from "markdown-it"
import type { TextLines } from "../text-lines.ts"

/** A block of a page that is inside no other block. Offsets count UTF-16 units. */
export type MarkdownBlock = {
  /** Row on which the block begins, 0-based. */
  readonly row: number
  /** Null for any other block than a heading. */
  readonly heading: MarkdownHeading | null
  /** The front matter of the page; null for any other block. `end` is the offset of its end. */
  readonly matter: { readonly format: "yaml" | "toml"; readonly value: string; readonly end: number } | null
  /** The rows on which the items of a list begin; empty for other blocks. */
  readonly itemRows: number[]
}

/** `text` is the Markdown of the heading without the signs that make it one. */
type MarkdownHeading = {
  readonly level: number
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Maximum length in characters of a page whose blocks are read. Longer pages are lists or logs. */
export const MAX_PAGE_CHARS = 1_000_000

// Only the rules for blocks run, because neither chunks nor sections depend on inline syntax.
const parser = new MarkdownIt("commonmark").enable("table")

/** The outermost blocks of a page, in order, by the rules of CommonMark, with tables and front matter. */
export function blocksOf(lines: TextLines): readonly MarkdownBlock[] {
  const { text, starts } = lines
  const [matter, firstRow] = frontMatterOf(lines)
  const blocks: MarkdownBlock[] = matter === null ? [] : [matter]
  const tokens: ReturnType<typeof parser.parse> = []
  parser.block.parse(text.slice(starts[firstRow]).replaceAll("\r\n", "\n"), parser, {}, tokens)
  for (const [i, { type, level, map, tag }] of tokens.entries()) {
    if (map === null) continue
    const row = firstRow + map[0]
    if (type === "list_item_open" && level === 1) blocks.at(-1)!.itemRows.push(row)
    if (level > 0) continue
    let heading: MarkdownHeading | null = null
    if (type === "heading_open") {
      const indent = /^ */.exec(text.slice(starts[row], starts[row]! + 3))![0].length
      const last = firstRow + map[1] - 1
      const end = starts[last]! + text.slice(starts[last], starts[last + 1]).replace(/\r?\n$/, "").length
      heading = { level: Number(tag[1]), start: starts[row]! + indent, end, text: tokens[i + 1]!.content }
    }
    blocks.push({ row, heading, matter: null, itemRows: [] })
  }
  return blocks
}

/** The front matter, or null, and the number of its rows. */
function frontMatterOf({ text, starts, count }: TextLines): [MarkdownBlock | null, number] {
  const fence = /^(?:---|\+\+\+)(?=[ \t]*\r?\n)/.exec(text)?.[0]
  if (fence === undefined) return [null, 0]
  for (let row = 1; row < count; row++) {
    if (!text.startsWith(fence, starts[row])) continue
    if (text.slice(starts[row], starts[row + 1]).trimEnd() !== fence) continue
    const value = text.slice(starts[1], starts[row])
    const matter = {
      format: fence === "---" ? "yaml" : "toml",
      value,
      end: starts[row]! + fence.length,
    } as const
    return [{ row: 0, heading: null, matter, itemRows: [] }, row + 1]
  }
  return [null, 0]
}
