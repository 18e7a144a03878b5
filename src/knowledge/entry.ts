/**
 * What sort of knowledge an entry is: something that happened, a fact, a way to do something, a choice and its reason.
 */
export const ENTRY_KINDS = ["episodic", "semantic", "procedural", "decision"] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

/** Who said it. */
export const ROLES = ["person", "agent", "tool"] as const
export type Role = (typeof ROLES)[number]

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** The place in a project that an entry speaks of, as it was when that was written down. */
export type EntrySource = {
  /** With "/", relative to the project's root; absolute only where the entry belongs to no project. */
  readonly path: string
  /** 1-based and inclusive; null: the whole file. */
  readonly startLine: number | null
  readonly endLine: number | null
  /** As it was named: the anchored lines are those of its definition. */
  readonly symbol: string | null
  /** Of the anchored lines without white space around them; null where they could not be read. */
  readonly hash: string | null
  /** The anchored lines, the first where they are many: found again when they moved, compared when they changed. */
  readonly text: string | null
  /** What was checked out. */
  readonly commit: string | null
  /** What else helps to find the lines again. */
  readonly context?: SourceContext
}

export type SourceContext = {
  /** The lines around the anchored ones that are not blank. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** The definition that they lie in. */
  readonly within: string | null
}

/** One memory in its present form. Times are ISO 8601, a date or an instant in UTC. */
export type Entry = {
  /** 20 characters; sorts by time of making. */
  readonly id: string
  /** Id of the project it belongs to; null: of all. */
  readonly project: string | null
  readonly topic: string
  readonly kind: EntryKind
  readonly text: string
  /** Normalised and sorted. */
  readonly tags: readonly string[]
  /** At most one living entry of a project has a key; remembering under it again revises that one. */
  readonly key: string | null
  readonly source: EntrySource | null
  readonly author: string | null
  readonly role: Role | null
  /** A conversation or task, and the entry's place in it. */
  readonly session: string | null
  readonly ordinal: number | null
  /** Names of entities that the author mentioned expressly. */
  readonly entities: readonly string[]
  readonly metadata: { readonly [key: string]: Json }
  /** When it held in the world; until is exclusive. */
  readonly validFrom: string | null
  readonly validUntil: string | null
  /** When it was recorded; when this form of it came about; when another entry took its place. */
  readonly recordedAt: string
  readonly revisedAt: string
  readonly supersededAt: string | null
  readonly supersededBy: string | null
  /** Why it no longer holds, where someone said so. */
  readonly invalidReason: string | null
  /** A tombstone: out of every answer but its history. */
  readonly deletedAt: string | null
  /** Number of forms it has had, from 1. */
  readonly revision: number
}
