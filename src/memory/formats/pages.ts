export type FrontMatter = { readonly [key: string]: unknown }

/** A page and its front matter between lines of "---". Front matter that cannot be parsed counts as text. */
export type FrontMatterPage = {
  readonly meta: FrontMatter
  readonly body: string
  /** Line number at which the body begins, from 1. */
  readonly firstLine: number
}

export function readPage(text: string): FrontMatterPage {
  const match = /^---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?:\n|$)/.exec(text)
  const meta = match && match[0].length <= MAX_FRONT_MATTER ? parseFrontMatter(match[1] ?? "") : null
  if (!match || meta === null) return { meta: {}, body: text, firstLine: 1 }
  return { meta, body: text.slice(match[0].length), firstLine: match[0].split("\n").length }
}

/** The first non-empty field among `keys` as text, whatever its type; null when there is none. */
export function metaText(meta: FrontMatter, ...keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = meta[key]
    if (typeof value === "string" && value.trim() !== "") return value.trim()
    if (typeof value === "number" || typeof value === "boolean") return String(value)
    const items = metaList(meta, key)
    if (items.length > 0) return items.join(", ")
  }
  return null
}

/** The items of a list, or of a text separated by commas. */
export function metaList(meta: FrontMatter, key: string): string[] {
  const value = meta[key]
  // Nested values are ignored: YAML aliases can make their text arbitrarily long.
  const items = Array.isArray(value)
    ? value.filter(isPlain).map(String)
    : String(isPlain(value) ? value : "").split(",")
  return items.map((item) => item.trim().replace(/^#/, "")).filter((item) => item !== "")
}

/** Max characters of front matter; real front matter is short. */
const MAX_FRONT_MATTER = 20_000

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
}

function parseFrontMatter(yaml: string): FrontMatter | null {
  try {
    const data: unknown = Bun.YAML.parse(yaml)
    if (data === null || data === undefined) return {}
    return typeof data === "object" && !Array.isArray(data) ? (data as FrontMatter) : null
  } catch {
    return null
  }
}

/** A line of a Markdown page. Lines are numbered from 1. */
export type MarkdownLine = {
  readonly number: number
  readonly text: string
  /** False inside fenced blocks and comments. */
  readonly isText: boolean
  readonly heading: Heading | null
}

type Heading = { readonly depth: number; readonly title: string }

/** The lines of a page, with its headings. Fenced blocks and comments contain no headings. */
export function markdownLines(text: string): MarkdownLine[] {
  const found: MarkdownLine[] = []
  let open: string | null = null
  for (const [index, line] of text.split("\n").entries()) {
    const wasOpen = open !== null
    open = openAfter(open, line)
    const isText = !wasOpen && open === null
    const underlined = isText ? underlinedHeading(found.at(-1), line) : null
    if (underlined !== null) found.push({ ...found.pop()!, heading: underlined })
    const heading = isText && underlined === null ? atxHeading(line) : null
    found.push({ number: 1 + index, text: line, isText, heading })
  }
  return found
}

/**
 * The block that is open after a line: the marks of a code fence, "<!--" for a comment, or null. `open` is the block
 * that was open before the line.
 */
export function openAfter(open: string | null, line: string): string | null {
  if (open === "<!--") return line.includes("-->") ? null : open
  if (open !== null) return isEndOf(open, line) ? null : open
  const fence = FENCE.exec(line)
  // Backticks followed by another backtick on the line are inline code.
  if (fence && !(fence[1]!.startsWith("`") && fence[2]!.includes("`"))) return fence[1]!
  return /^ {0,3}<!--/.test(line) && !line.slice(line.indexOf("<!--") + 4).includes("-->") ? "<!--" : null
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/s

function isEndOf(fence: string, line: string): boolean {
  const marks = line.trim()
  return marks.length >= fence.length && marks === fence[0]!.repeat(marks.length) && /^ {0,3}[`~]/.test(line)
}

function atxHeading(line: string): Heading | null {
  const match = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/s.exec(line)
  if (!match) return null
  const title = (match[2] ?? "").replace(/(?<![ \t])[ \t]+#+[ \t]*$/, "").trim()
  return title === "" ? null : { depth: match[1]!.length, title }
}

/** The heading that a line of "=" or "-" makes of the text above it; null below a list, quote or table. */
function underlinedHeading(above: MarkdownLine | undefined, line: string): Heading | null {
  if (above === undefined || above.heading !== null || !/^ {0,3}(?:=+|-{3,})[ \t]*$/.test(line)) return null
  if (!/^ {0,3}[^\s>#|<*+-]/.test(above.text) || /^ {0,3}\d{1,9}[.)]\s/.test(above.text)) return null
  return { depth: line.includes("=") ? 1 : 2, title: above.text.trim() }
}
