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
