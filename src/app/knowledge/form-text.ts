import type { ShownEntry } from "./answers.ts"

/** One of the forms that an entry has had, and how it came to be. */
export type ShownForm = {
  readonly at: string
  readonly change: string
  readonly reason: string | null
  /** Null: it is purged. */
  readonly entry: ShownEntry | null
}

/** What may change beside the text. */
const FIELDS = [
  ...(["topic", "kind", "tags", "key", "source", "author", "role", "session", "entities"] as const),
  ...(["valid_from", "valid_until", "superseded_by"] as const),
]

/** When, what happened, what else than the text became what; and the text where it is another than before. */
export function formText({ at, change, reason, entry }: ShownForm, before: ShownEntry | null): string {
  const why = reason === null ? "" : `: ${reason}`
  const became = before === null || entry === null ? [] : changedFields(before, entry)
  const head = `${at} ${change}${became.length === 0 ? "" : ` (${became.join("; ")})`}${why}`
  if (entry === null) return `${head}\n  (gone)`
  return entry.text === before?.text ? head : `${head}\n${entry.text}`
}

function changedFields(before: ShownEntry, after: ShownEntry): string[] {
  return FIELDS.filter((field) => written(before, field) !== written(after, field)).map(
    (field) => `${field.replace("_", " ")}: ${written(after, field) || "none"}`,
  )
}

function written(entry: ShownEntry, field: (typeof FIELDS)[number]): string {
  const value = entry[field]
  return typeof value === "string" ? value : (value?.join(", ") ?? "")
}
