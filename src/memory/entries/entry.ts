import type { EntryFields } from "../log/event.ts"

/** Kinds of entries: an event, a fact, a way to do something, a choice and its reason. */
export const ENTRY_KINDS = ["episodic", "semantic", "procedural", "decision"] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

/** Who stated the text of an entry. */
export const ROLES = ["person", "agent", "tool"] as const
export type Role = (typeof ROLES)[number]

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** The place in a project to which an entry refers, as it was when the entry was written. */
export type EntrySource = {
  /** With "/", relative to the project's root; absolute only where the entry belongs to no project. */
  readonly path: string
  /** 1-based and inclusive; null: the whole file. */
  readonly startLine: number | null
  readonly endLine: number | null
  /** The symbol as the user named it; the anchored lines are those of its definition. */
  readonly symbol: string | null
  /** Hash of the anchored lines without surrounding white space; null when they could not be read. */
  readonly hash: string | null
  /**
   * The anchored lines, or only the first of them if there are many. Used to find moved lines and to show what changed.
   * Null when they could not be read, or may not be stored.
   */
  readonly text: string | null
  /** Id of the commit that was checked out when the lines were captured; null when there was none. */
  readonly commit: string | null
  /** Further data for finding the lines again. */
  readonly context?: SourceContext
}

type SourceContext = {
  /** Non-blank lines before and after the anchored ones. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** The definition that contains the lines; null when there is none. */
  readonly within: string | null
}

/** One memory in its present form. Times are ISO 8601, a date or an instant in UTC. */
export type Entry = {
  /** 20 characters; ids sort by creation time. */
  readonly id: string
  /** Id of the project that the entry belongs to; null: the entry belongs to all projects. */
  readonly project: string | null
  readonly topic: string
  readonly kind: EntryKind
  readonly text: string
  /** Normalised and sorted. */
  readonly tags: readonly string[]
  /** At most one living entry of a project has a given key; remembering under the key again revises that entry. */
  readonly key: string | null
  readonly source: EntrySource | null
  readonly author: string | null
  readonly role: Role | null
  /** The conversation or task in which the entry was recorded. */
  readonly session: string | null
  /** The entry's position in the session. */
  readonly ordinal: number | null
  /** Names of entities that the author listed explicitly. */
  readonly entities: readonly string[]
  readonly metadata: { readonly [key: string]: Json }
  /** The period in which the statement is valid; `validUntil` is exclusive. */
  readonly validFrom: string | null
  readonly validUntil: string | null
  /** Times at which the entry was first recorded, last revised, and superseded by another entry. */
  readonly recordedAt: string
  /** The writer's offset from UTC when it was recorded, as +09:00; absent: UTC, or unknown. */
  readonly zone?: string
  readonly revisedAt: string
  readonly supersededAt: string | null
  readonly supersededBy: string | null
  /** Ids of entries that this one holds beside: neither is marked as replaced by the other. Absent: none. */
  readonly beside?: readonly string[]
  /** Why the statement is no longer valid; null when no reason was given. */
  readonly invalidReason: string | null
  /** Time at which the entry was deleted, else null. A deleted entry appears only in its history. */
  readonly deletedAt: string | null
  /** Number of revisions, from 1. */
  readonly revision: number
}

/**
 * An entry to be remembered. Only the text is required; absent fields have the values of DEFAULTS. Without an ordinal
 * the entry gets the next one of its session, and entities that do not exist are created.
 */
export type NewEntry = Pick<EntryFields, "text"> &
  Partial<Omit<EntryFields, "text" | "zone">> & {
    readonly relations?: readonly NewRelation[]
    /** Time at which the statement was made; absent: now. */
    readonly recordedAt?: string | null
    /** Ids of entries that it replaces. */
    readonly replaces?: readonly string[]
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
  /** Names of given fields that were not stored, because an entry with the same text exists and was left unchanged. */
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
   * to update or contradict it; "subject": it is about the same, and the writer knows whether it still holds.
   */
  readonly reason: "words" | "vector" | "conflict" | "subject"
}
