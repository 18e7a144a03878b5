import type { Entry } from "../../memory/entries/entry.ts"
import type { JsonFields } from "../../memory/entries/entry-fields.ts"
import type { SourceNow } from "./sources/freshness.ts"

/** An entry as the command line and the MCP server return it. */
export type EntryOutput = JsonFields<
  Pick<
    Entry,
    | "id"
    | "topic"
    | "text"
    | "tags"
    | "kind"
    | "key"
    | "author"
    | "role"
    | "session"
    | "entities"
    | "metadata"
    | "recordedAt"
    | "validFrom"
    | "validUntil"
    | "invalidReason"
    | "supersededBy"
    | "deletedAt"
    | "revision"
  >
> & {
  /** "path:line"; the current place if the lines were found again elsewhere. Null: the entry has no source. */
  readonly source: string | null
  /** State of the source, as in src/memory/anchors; "unchecked": this answer did not check it. */
  readonly freshness: string
  readonly scope: "project" | "global" | "other"
}

export type RecallHit = EntryOutput & {
  readonly score: number
  /** Range of the entry's text that matches the question best, in UTF-16 code units. */
  readonly window: { readonly start: number; readonly end: number }
  /** True when `text` is only a part of the entry's text. */
  readonly cut: boolean
  /** Dates that phrases such as «last week» in the text meant when it was recorded. */
  readonly dates: readonly { readonly text: string; readonly start: string; readonly end: string | null }[]
  /** Id of a newer hit that contradicts this one, judging by the words; null when there is none. */
  readonly outdated_by: string | null
  readonly updates: readonly string[]
  readonly contradicts: readonly string[]
  /** The source's current lines and their difference to the stored ones; null if the source has not changed. */
  readonly source_now: SourceNow | null
  readonly explanation?: readonly { readonly term: string; readonly value: number }[]
}

export type RecallAnswer = {
  readonly query: string
  readonly results: readonly RecallHit[]
  /** Number of returned results; with detail «count», number of all hits. */
  readonly total: number
  /** 0 to 1: how much of the question the best hit covers. */
  readonly confidence: number
  readonly notices: readonly string[]
  readonly took_ms: number
}
