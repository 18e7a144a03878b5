import type { Definition } from "../definitions.ts"
import type { TextLines } from "../text-lines.ts"
import type { MarkdownBlock } from "./markdown-blocks.ts"

const MAX_HEADING_CHARS = 120
/**
 * Maximum number of characters of a heading that are read. Links can make a heading long; the rest is no part of its
 * name.
 */
const MAX_READ_CHARS = 2000

type Heading = Extract<MarkdownBlock, { type: "heading" }>

/**
 * True for a heading. An MDX import above a horizontal rule is parsed as an underlined heading, so it is excluded here.
 */
export function isHeading(node: MarkdownBlock, { text }: TextLines): node is Heading {
  if (node.type !== "heading") return false
  return !/^(?:import|export)\s.*["'{=(]/.test(
    text.slice(node.position?.start.offset, node.position?.end.offset),
  )
}

/** The title in the front matter of the page, as a definition. Empty if the first heading has the same text. */
export function titleOf(blocks: readonly MarkdownBlock[], lines: TextLines): Definition[] {
  const [first] = blocks
  // The declared type lists only YAML, but front matter in other formats occurs.
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

/**
 * The sections of a page. Each heading defines a section that ends at the next heading of the same or a higher level.
 */
export function sectionsOf(blocks: readonly MarkdownBlock[], lines: TextLines): Definition[] {
  const { text } = lines
  const sections: Definition[] = []
  // For each level, the offset where the next section of this or a higher level begins. Headings are processed from
  // last to first.
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

/** Maximum length in characters of front matter that is parsed; a title is near its beginning. */
const MAX_CHARS = 20_000

/** The title in the front matter of a page; null if there is none or it cannot be parsed. */
function frontMatterTitle(format: string, source: string): string | null {
  if (source.length > MAX_CHARS) return null
  try {
    const data: unknown = format === "toml" ? Bun.TOML.parse(source) : Bun.YAML.parse(source)
    const title = data !== null && typeof data === "object" && "title" in data ? data.title : null
    return typeof title === "string" && title.trim() !== "" ? title.replace(/\s+/g, " ").trim() : null
  } catch {
    // Front matter that cannot be parsed is treated as text.
    return null
  }
}
