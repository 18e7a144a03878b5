import type { Definition } from "../definitions.ts"
import type { TextLines } from "../text-lines.ts"
import type { MarkdownBlock } from "./markdown-blocks.ts"

const MAX_HEADING_CHARS = 120
/**
 * Maximum number of characters of a heading that are read. Links can make a heading long; the rest is no part of its
 * name.
 */
const MAX_READ_CHARS = 2000

/** The heading of a block; null if it has none. An MDX import above a horizontal rule looks like an underlined heading. */
export function headingOf({ heading }: MarkdownBlock): MarkdownBlock["heading"] {
  return heading !== null && /^(?:import|export)\s.*["'{=(]/.test(heading.text) ? null : heading
}

/** The title in the front matter of the page, as a definition. Empty if the first heading has the same text. */
export function titleOf(blocks: readonly MarkdownBlock[], lines: TextLines): Definition[] {
  const matter = blocks[0]?.matter
  if (!matter) return []
  const title = frontMatterTitle(matter.format, matter.value)
  const [heading] = sectionsOf(blocks, lines)
  if (title === null || heading?.name?.toLowerCase() === title.toLowerCase()) return []
  return [
    {
      name: title.slice(0, MAX_HEADING_CHARS),
      kind: "section",
      start: 0,
      end: lines.text.length,
      bodyStart: matter.end,
      owner: null,
      isSpread: false,
    },
  ]
}

/** The sections of a page. Each heading defines a section that ends at the next heading of the same or a higher level. */
export function sectionsOf(blocks: readonly MarkdownBlock[], { text }: TextLines): Definition[] {
  const sections: Definition[] = []
  // For each level, the offset where the next section of this or a higher level begins. Headings are processed from
  // last to first.
  const nextStart = new Array<number>(7).fill(text.length)
  for (const block of blocks.toReversed()) {
    const heading = headingOf(block)
    if (heading === null) continue
    const { level, start, end: bodyStart } = heading
    const end = nextStart[level]!
    nextStart.fill(start, level)
    const name = plainText(heading.text)
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
