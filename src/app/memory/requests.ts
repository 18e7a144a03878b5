import type { Json } from "../../memory/entries/entry.ts"
import type { JsonFields } from "../../memory/entries/entry-fields.ts"
import type { EntryInput, RememberResult } from "../../memory/entries/new-entry.ts"

/** An entry to remember, with the field names of JSON. */
export type RememberRequest = {
  readonly [Name in keyof JsonFields<Omit<EntryInput, "text">>]?: JsonFields<EntryInput>[Name] | undefined
} & { readonly text: string }

/** Scopes that an agent may ask for: "project" (entries of this project), "global" (entries of all projects), "both". */
export const AGENT_SCOPES = ["both", "project", "global"] as const
/** Scopes of a search; "all": the entries of every project. */
export const SCOPES = [...AGENT_SCOPES, "all"] as const
export type Scope = (typeof SCOPES)[number]

/** Filter of a recall or a list. Times are ISO 8601 dates or instants. */
export type EntryFilter = {
  readonly scope?: Scope | undefined
  /** Ids of projects, in place of the scope; null: entries of no project. */
  readonly projects?: readonly (string | null)[] | undefined
  readonly topic?: string | undefined
  readonly kinds?: readonly string[] | undefined
  /** The entry must have all of these tags. */
  readonly tags?: readonly string[] | undefined
  readonly author?: string | undefined
  readonly role?: string | undefined
  readonly session?: string | undefined
  /** Only entries recorded at or after `after`, and before `before`. */
  readonly after?: string | undefined
  readonly before?: string | undefined
  /** Only entries that were valid at this time. */
  readonly as_of?: string | undefined
  /** True: only entries that are valid now. */
  readonly valid?: boolean | undefined
  readonly metadata?: { readonly [key: string]: Json } | undefined
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
export function forceOf({ force = false }: { readonly force?: boolean | undefined }): {
  readonly force: boolean
} {
  return { force }
}
