import type { Json } from "../../knowledge/entry.ts"

/** What is to be remembered, as a person, an agent or a line of JSON says it. */
export type RememberRequest = {
  readonly text: string
  readonly topic?: string | undefined
  readonly kind?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** An entry of that key is revised instead. */
  readonly key?: string | undefined
  /** path, path:line, path:10-20, path#symbol or a symbol. */
  readonly source?: string | undefined
  readonly metadata?: { readonly [key: string]: Json } | undefined
  readonly recorded_at?: string | undefined
  readonly valid_from?: string | undefined
  readonly valid_until?: string | undefined
  readonly author?: string | undefined
  readonly role?: string | undefined
  readonly session?: string | undefined
  readonly ordinal?: number | undefined
  readonly entities?: readonly string[] | undefined
  readonly relations?: readonly RelationRequest[] | undefined
  /** Ids of entries whose place it takes. */
  readonly supersedes?: readonly string[] | undefined
  /** Belongs to no project. */
  readonly global?: boolean | undefined
}

export type RelationRequest = {
  readonly from: string
  readonly to: string
  readonly type: string
  readonly weight?: number | undefined
}

export type RememberOptions = {
  /** Refuse what is nearly said already. */
  readonly ifNew?: boolean
  /** Store even what looks like a credential. */
  readonly force?: boolean
}

/** Which knowledge is asked: this project's, what belongs to all, both, or every project's. */
export const SCOPES = ["both", "project", "global", "all"] as const
export type Scope = (typeof SCOPES)[number]

/** What narrows down a recall or a list. Times are ISO 8601 dates or instants. */
export type EntryFilter = {
  readonly scope?: Scope | undefined
  readonly topic?: string | undefined
  readonly kinds?: readonly string[] | undefined
  /** All of them. */
  readonly tags?: readonly string[] | undefined
  readonly author?: string | undefined
  readonly role?: string | undefined
  readonly session?: string | undefined
  /** Recorded at or after; before. */
  readonly after?: string | undefined
  readonly before?: string | undefined
  /** What held then. */
  readonly as_of?: string | undefined
  /** Leave out what no longer holds. */
  readonly valid?: boolean | undefined
  readonly metadata?: { readonly [key: string]: Json } | undefined
}

export const DETAILS = ["full", "medium", "brief", "count"] as const
export type Detail = (typeof DETAILS)[number]

export type RecallRequest = EntryFilter & {
  readonly query: string
  readonly limit?: number | undefined
  readonly detail?: Detail | undefined
  readonly max_tokens?: number | undefined
  /** At most so many of a topic, and listed by topic. */
  readonly by_topic?: boolean | undefined
  readonly explain?: boolean | undefined
}

export type RememberAnswer = {
  readonly entries: readonly RememberedEntry[]
  readonly notices: readonly string[]
}

export type RememberedEntry = {
  readonly id: string
  readonly topic: string
  readonly outcome: "stored" | "existing" | "revised"
  /** Where it was there: what was said of it besides, and is not so in it; absent where nothing was. */
  readonly untaken?: readonly string[]
  /** What says nearly the same. */
  readonly similar: readonly SimilarEntry[]
}

export type SimilarEntry = { readonly id: string; readonly text: string; readonly score: number }
