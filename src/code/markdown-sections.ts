import type { Definition } from "./definitions.ts"
import { frontMatterTitle } from "./front-matter.ts"
import type { MarkdownBlock } from "./markdown-blocks.ts"
import type { TextLines } from "./text-lines.ts"

const MAX_HEADING_CHARS = 120
/** A link in a heading may be long; the rest is no name. */
const MAX_READ_CHARS = 2000

type Heading = Extract<MarkdownBlock, { type: "heading" }>

/** An import of MDX above a rule reads as a heading underlined. */
export function isHeading(node: MarkdownBlock, { text }: TextLines): node is Heading {
  if (node.type !== "heading") return false
  return !/^(?:import|export)\s.*["'{=(]/.test(
    text.slice(node.position?.start.offset, node.position?.end.offset),
  )
}

/** The title that the front matter gives the page, unless its first heading says the same. */
export function titleOf(blocks: readonly MarkdownBlock[], lines: TextLines): Definition[] {
  const [first] = blocks
  // The tree's types know of YAML alone.
  const format: string | undefined = first?.type
  if (!first || !("value" in first) || (format !== "yaml" && format !== "toml")) return []
  const title = frontMatterTitle(format, first.value)
  const [heading] = sectionsOf(blocks, lines)
  if (title === null || heading?.name?.toLowerCase() === title.toLowerCase()) return []
  const bodyStart = first.position?.end.offset ?? null
  return [
    {
      name: title.slice(0, MAX_HEADING_CHARS),
      kind: "section",
      start: 0,
      end: lines.text.length,
      bodyStart,
      owner: null,
      isSpread: false,
    },
  ]
}

/** A heading is a definition that reaches to the next of its depth. */
export function sectionsOf(blocks: readonly MarkdownBlock[], lines: TextLines): Definition[] {
  const { text } = lines
  const sections: Definition[] = []
  // Where the section after this one begins, by depth: read from the end, each heading closes those above it.
  const nextStart = new Array<number>(7).fill(text.length)
  for (const node of blocks.toReversed()) {
    if (!isHeading(node, lines)) continue
    const start = node.position?.start.offset ?? 0
    const end = nextStart[node.depth]!
    nextStart.fill(start, node.depth)
    const bodyStart = node.position?.end.offset ?? null
    const [first] = node.children
    if (!first) continue
    const name = plainText(
      text.slice(first.position?.start.offset, node.children.at(-1)?.position?.end.offset),
    )
    if (name === "") continue
    sections.push({ name, kind: "section", start, end, bodyStart, owner: null, isSpread: false })
  }
  return sections
}

/** `**Using** [the CLI](cli.md) ![build](badge.svg)` → `Using the CLI`. */
function plainText(markdown: string): string {
  return markdown
    .slice(0, MAX_READ_CHARS)
    .replace(/!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?/g, "")
    .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?/g, "$1")
    .replace(/<[^>]+>|&\w+;|[*`]/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, MAX_HEADING_CHARS)
}
