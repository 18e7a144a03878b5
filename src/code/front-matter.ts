/** The end of patience with metadata: a title stands at their beginning. */
const MAX_CHARS = 20_000

/** The title that front matter gives a page; null where it gives none or is not what it seems. */
export function frontMatterTitle(format: string, source: string): string | null {
  if (source.length > MAX_CHARS) return null
  try {
    const data: unknown = format === "toml" ? Bun.TOML.parse(source) : Bun.YAML.parse(source)
    const title = data !== null && typeof data === "object" && "title" in data ? data.title : null
    return typeof title === "string" && title.trim() !== "" ? title.replace(/\s+/g, " ").trim() : null
  } catch {
    // Metadata that nobody can read are text like any other.
    return null
  }
}
