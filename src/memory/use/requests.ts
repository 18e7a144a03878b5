import type { Entry, EntryInput, RememberResult } from "../entries/entry.ts"
import type { JsonFields } from "../entries/entry-fields.ts"
import type { EntryFilter as StoredFilter } from "../entries/list-entries.ts"
import type { SourceNow } from "./sources.ts"

/** An entry to remember, with the field names of JSON. */
export type RememberRequest = {
  readonly [Name in keyof JsonFields<Omit<EntryInput, "text">>]?: JsonFields<EntryInput>[Name] | undefined
} & { readonly text: string }

/** Scopes that an agent may ask for: "project" (entries of this project), "global" (entries of all projects), "both". */
export const AGENT_SCOPES = ["both", "project", "global"] as const
/** Scopes of a search; "all": the entries of every project. */
export const SCOPES = [...AGENT_SCOPES, "all"] as const
export type Scope = (typeof SCOPES)[number]

/** Filter of a recall or a list. `projects` come in place of the scope; `valid`: only entries that are valid now. */
export type EntryFilter = StoredFilter & {
  readonly scope?: Scope | undefined
  readonly valid?: boolean | undefined
}

export const DETAILS = ["full", "medium", "brief", "count"] as const
export type DetailLevel = (typeof DETAILS)[number]

export type RecallRequest = EntryFilter & {
  readonly query: string
  readonly limit?: number | undefined
  readonly detail?: DetailLevel | undefined
  readonly max_tokens?: number | undefined
  /** True: group the results by topic. */
  readonly by_topic?: boolean | undefined
  readonly explain?: boolean | undefined
}

export type RememberAnswer = {
  readonly entries: readonly RememberResult[]
  readonly notices: readonly string[]
}

/** The `force` option of a call: whether text that looks like a credential is accepted. */
export function forceOf({ force = false }: { readonly force?: boolean | undefined }) {
  return { force }
}

/** The fields that an entry has in answers, in this order. */
export const OUTPUT_FIELDS = [
  ...(["id", "topic", "text", "tags", "kind", "key", "source", "freshness", "author", "role"] as const),
  ...(["session", "entities", "metadata", "recordedAt", "validFrom", "validUntil"] as const),
  ...(["invalidReason", "supersededBy", "deletedAt", "revision", "scope"] as const),
]
type OutputField = Exclude<(typeof OUTPUT_FIELDS)[number], "source" | "freshness" | "scope">

/** An entry as the command line and the MCP server return it; times of recording as the clock of the writer showed them. */
export type EntryOutput = JsonFields<Pick<Entry, OutputField>> & {
  /** "path:line"; the current place if the lines were found again elsewhere. Null: the entry has no source. */
  readonly source: string | null
  /** State of the source, as in src/memory/anchors; "unchecked": this answer did not check it. */
  readonly freshness: string
  /** Id and subject of the first commit after the entry that changed its source; absent when there is none. */
  readonly led_to?: string
  readonly scope: "project" | "global" | "other"
}

export type RecallHit = EntryOutput & {
  readonly score: number
  /** Range of the entry's text that matches the question best, in UTF-16 code units. */
  readonly window: { readonly start: number; readonly end: number }
  /** True when `text` is only a part of the entry's text. */
  readonly cut: boolean
  /** Present when the entry fits less than those above and is shown in one line. */
  readonly in_line?: true
  /** Dates that phrases such as «last week» in the text meant when it was recorded. */
  readonly dates: readonly { readonly text: string; readonly start: string; readonly end: string | null }[]
  /** Id of a newer entry that contradicts this one, judging by what was read; null when there is none. */
  readonly outdated_by: string | null
  readonly updates: readonly string[]
  readonly contradicts: readonly string[]
  /** Entries that it probably replaces, judging by what was read; not in the answer unless outdated ones are asked for. */
  readonly perhaps_replaces: readonly string[]
  /** The source's current lines and their difference to the stored ones; null if the source has not changed. */
  readonly source_now: SourceNow | null
  readonly explanation?: readonly { readonly term: string; readonly value: number }[]
}

export type RecallAnswer = {
  readonly query: string
  readonly results: readonly RecallHit[]
  /** Number of returned results; with detail «count», number of all hits. */
  readonly total: number
  /** 0 to 1: chance that one of the first entries is the answer. */
  readonly confidence: number
  readonly notices: readonly string[]
  readonly took_ms: number
}
