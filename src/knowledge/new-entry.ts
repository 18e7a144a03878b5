import type { EntryKind, EntrySource, Json, Role } from "./entry.ts"

/** What somebody asks to be remembered; only the text is needed. */
export type NewEntry = {
  readonly text: string
  /** Null or absent: of all projects. */
  readonly project?: string | null
  /** "general" where absent. */
  readonly topic?: string
  /** "semantic" where absent. */
  readonly kind?: EntryKind
  readonly tags?: readonly string[]
  /** The entry of this key is revised where there is one. */
  readonly key?: string | null
  /** Captured by the caller. */
  readonly source?: EntrySource | null
  readonly author?: string | null
  readonly role?: Role | null
  readonly session?: string | null
  /** Its place in the session; absent: the next. */
  readonly ordinal?: number | null
  /** Names; unknown ones become entities. */
  readonly entities?: readonly string[]
  readonly relations?: readonly NewRelation[]
  readonly metadata?: { readonly [key: string]: Json }
  readonly validFrom?: string | null
  readonly validUntil?: string | null
  /** When it was said, where that was not now. */
  readonly recordedAt?: string | null
  /** Ids of entries that it takes the place of. */
  readonly supersedes?: readonly string[]
}

/** Between entities by name; made where they are missing. */
export type NewRelation = {
  readonly from: string
  readonly to: string
  readonly type: string
  /** 0 to 1; 1 where absent. */
  readonly weight?: number
}

export type RememberOptions = {
  /** Refuses what is like something that stands already. */
  readonly ifNew?: boolean
  /** Stores what looks like a credential. */
  readonly force?: boolean
}

/** What became of one of them. */
export type Remembered = {
  readonly id: string
  readonly topic: string
  readonly outcome: "stored" | "existing" | "revised"
  /** Where it was there: what was said of it besides, and is not so in it. */
  readonly untaken?: readonly string[]
  /** Others of the topic that say nearly the same, likest first. */
  readonly similar: readonly Similar[]
}

export type Similar = {
  readonly id: string
  readonly text: string
  /** 0 to 1. */
  readonly score: number
  readonly reason: "words" | "vector"
}
