import type { EntryKind, EntrySource, Json, Role } from "./entry.ts"

/** An entry to be remembered; only the text is required. */
export type NewEntry = {
  readonly text: string
  /** Null or absent: it belongs to all projects. */
  readonly project?: string | null
  /** Topic; "general" when absent. */
  readonly topic?: string
  /** Kind; "semantic" when absent. */
  readonly kind?: EntryKind
  readonly tags?: readonly string[]
  /** An existing entry with this key is revised; otherwise a new entry is added. */
  readonly key?: string | null
  /** The source, whose lines the caller has captured. */
  readonly source?: EntrySource | null
  readonly author?: string | null
  readonly role?: Role | null
  readonly session?: string | null
  /** The entry's position in its session; absent: the next one. */
  readonly ordinal?: number | null
  /** Names of entities; unknown names become new entities. */
  readonly entities?: readonly string[]
  readonly relations?: readonly NewRelation[]
  readonly metadata?: { readonly [key: string]: Json }
  readonly validFrom?: string | null
  readonly validUntil?: string | null
  /** Time at which the statement was made; absent: now. */
  readonly recordedAt?: string | null
  /** Ids of entries that it replaces. */
  readonly supersedes?: readonly string[]
}

/** A new entry as a caller gives it: its source is still text, such as path:10-20 or path#symbol. */
export type EntryInput = Omit<NewEntry, "source" | "project"> & {
  readonly source?: string | null
  /** True: the entry belongs to all projects. */
  readonly global?: boolean
}

/** A relation between two entities, given by name; missing entities are created. */
export type NewRelation = {
  readonly from: string
  readonly to: string
  readonly type: string
  /** Strength of the relation, 0 to 1; absent: 1. */
  readonly weight?: number | undefined
}

export type RememberOptions = {
  /** True: an entry that is nearly the same as an existing one is refused. */
  readonly ifNew?: boolean
  /** True: text that looks like a credential is accepted. */
  readonly force?: boolean
}

/** The result of remembering one entry. */
export type RememberResult = {
  readonly id: string
  readonly topic: string
  readonly outcome: "stored" | "existing" | "revised"
  /**
   * Names of given fields that were not stored, because an entry with the same text exists and was left unchanged.
   */
  readonly untaken?: readonly string[]
  /** Older entries that this one seems to replace, then entries of the topic with nearly the same text; best first. */
  readonly similar: readonly SimilarEntry[]
}

export type SimilarEntry = {
  readonly id: string
  readonly text: string
  /** Similarity of the entries, 0 to 1. */
  readonly score: number
  /**
   * Reason why the entry is listed: "words" or "vector": it has nearly the same text; "conflict": the new entry seems
   * to update or contradict it.
   */
  readonly reason: "words" | "vector" | "conflict"
}
