import type { Definition } from "../definitions.ts"
import type { TextLines } from "../text-lines.ts"
import type { MarkdownBlock } from "./markdown-blocks.ts"

const MAX_HEADING_CHARS = 120
/** Max characters of a heading that are read; links can make it long, and the rest is no part of its name. */
const MAX_READ_CHARS = 2000

type Heading = Extract<MarkdownBlock, { type: "heading" }>

/** True for a heading. An MDX import above a rule parses as an underlined heading and is excluded. */
export function isHeading(node: MarkdownBlock, { text }: TextLines): node is Heading {
  if (node.type !== "heading") return false
  return !/^(?:import|export)\s.*["'{=(]/.test(
    text.slice(node.position?.start.offset, node.position?.end.offset),
  )
}

/** The title that the front matter gives the page, unless its first heading says the same. */
export function titleOf(blocks: readonly MarkdownBlock[], lines: TextLines): Definition[] {
  const [first] = blocks
  // The type of the tree lists YAML only, but other formats of front matter occur.
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

/** Sections of a page: each heading defines one that reaches to the next heading of its depth or above. */
export function sectionsOf(blocks: readonly MarkdownBlock[], lines: TextLines): Definition[] {
  const { text } = lines
  const sections: Definition[] = []
  // Offset where the next section begins, by depth. Headings are read from the end, so each one ends those
  // above it.
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

/** Maximum length of metadata in characters; a title is near the beginning. */
const MAX_CHARS = 20_000

/** The title in the front matter of a page; null if there is none or it cannot be parsed. */
function frontMatterTitle(format: string, source: string): string | null {
  if (source.length > MAX_CHARS) return null
  try {
    const data: unknown = format === "toml" ? Bun.TOML.parse(source) : Bun.YAML.parse(source)
    const title = data !== null && typeof data === "object" && "title" in data ? data.title : null
    return typeof title === "string" && title.trim() !== "" ? title.replace(/\s+/g, " ").trim() : null
  } catch {
    // Metadata that cannot be parsed is treated as text.
    return null
  }
}
