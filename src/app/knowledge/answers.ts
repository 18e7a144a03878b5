import type { Json } from "../../knowledge/entry.ts"
import type { SourceNow } from "./freshness.ts"

/** An entry as both doors show it. */
export type ShownEntry = {
  readonly id: string
  readonly topic: string
  readonly text: string
  readonly tags: readonly string[]
  readonly kind: string
  readonly key: string | null
  /** path:line as it is now, where it was found again. */
  readonly source: string | null
  /** As src/knowledge/anchors has it; unchecked: this answer did not look. */
  readonly freshness: string
  readonly author: string | null
  readonly role: string | null
  readonly session: string | null
  readonly entities: readonly string[]
  readonly metadata: { readonly [key: string]: Json }
  readonly recorded_at: string
  readonly valid_from: string | null
  readonly valid_until: string | null
  readonly invalid_reason: string | null
  readonly superseded_by: string | null
  readonly deleted_at: string | null
  readonly revision: number
  readonly scope: "project" | "global" | "other"
}

export type RecallHit = ShownEntry & {
  readonly score: number
  /** The part of the whole text that answers best, in UTF-16 codes. */
  readonly window: { readonly start: number; readonly end: number }
  /** `text` is a part of it. */
  readonly cut: boolean
  /** What «last week» and the like in the text meant when it was said. */
  readonly dates: readonly { readonly text: string; readonly start: string; readonly end: string | null }[]
  /** A newer hit says otherwise, as far as one can tell by the words. */
  readonly outdated_by: string | null
  readonly updates: readonly string[]
  readonly contradicts: readonly string[]
  /** The lines that its source has now, and how they differ; where they do. */
  readonly source_now: SourceNow | null
  readonly explanation?: readonly { readonly term: string; readonly value: number }[]
}

export type RecallAnswer = {
  readonly query: string
  readonly results: readonly RecallHit[]
  /** How many there are: with detail «count» all, else those shown. */
  readonly total: number
  /** 0 to 1: how much of what was asked the best hit speaks of. */
  readonly confidence: number
  readonly notices: readonly string[]
  readonly took_ms: number
}
