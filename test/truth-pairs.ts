import { readFileSync } from "node:fs"
import { join } from "node:path"
import { openReader } from "../packages/encoder/index.ts"
import type { OddsOf } from "../src/memory/conflicts/readings.ts"
import { settle } from "../src/memory/conflicts/settle.ts"
import type { Entry } from "../src/memory/entries/entry.ts"

const reader = await openReader()

/** What the reader says of each two entries, whether or not a store would read them together. */
export const readAll: OddsOf = (older, newer) => reader.odds(older.text, newer.text)

/** Two statements, and how a person judged them. */
export type LabelledPair = {
  /** past: the newer updates the older, but the question is about the past. */
  readonly label: "updated" | "contradicting" | "different" | "restated" | "past"
  readonly query: string
  readonly older: string
  readonly newer: string
  readonly olderAuthor?: string
  readonly newerAuthor?: string
  /** Where the pair is from: a repository of GitHub, or a group of pairs that were written by hand. */
  readonly source?: string
  /**
   * edit: a sentence before and after a commit. lines: two sentences of one document. written: by hand.
   */
  readonly kind?: "edit" | "lines" | "written"
}

/** Results of the rules for all pairs of one label; numbers of pairs. */
export type Tally = {
  readonly pairs: number
  /** The older statement is marked as outdated by the newer. */
  readonly outdated: number
  readonly contradicting: number
  /** Number of pairs in which the older statement is marked as outdated or as contradicted. */
  readonly marked: number
  /** Number of pairs in which the newer statement, which ranked second before, is shown first. */
  readonly newerFirst: number
}

/**
 * Names of the sets of pairs.
 *
 *   pairs         the rules were written with these
 *   held-out      written after the rules; the faults that they showed were fixed
 *   unseen        only measured
 *   fresh         short notes about many subjects, mostly in other words than the notes that they supersede or
 *                 contradict
 *   notes         written by hand, sentences of documents before and after a commit, and similar lines of one document;
 *                 the reader has learnt these, and fresh
 *   notes-closed  as notes, from other sources; only measured
 *   languages-open, languages-closed  ten languages, by hand; the closed half is only measured
 *   languages-unseen  as languages-closed, written later; asked only with --split closed
 */
export type PairSet =
  | "pairs"
  | "held-out"
  | "unseen"
  | "fresh"
  | "notes"
  | "notes-closed"
  | "languages-open"
  | "languages-closed"
  | "languages-unseen"

export function readPairs(set: PairSet): LabelledPair[] {
  if (set.startsWith("languages-")) return readLanguagePairs(set.slice("languages-".length))
  const file = join(import.meta.dirname, "fixtures/truth", `${set}.jsonl`)
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as LabelledPair)
}

/** Pairs in ten languages: packages/lab/bench/memory-pairs-open.json, -closed and -unseen. */
function readLanguagePairs(half: string): LabelledPair[] {
  const file = join(import.meta.dirname, `../packages/lab/bench/memory-pairs-${half}.json`)
  const pairs = JSON.parse(readFileSync(file, "utf8")) as (LabelledPair & { language: string })[]
  return pairs.map((pair) => ({ ...pair, kind: "written", source: pair.language }))
}

/** Judges each pair as the only two hits, the older one ranked first. */
export function tallyPairs(pairs: readonly LabelledPair[]): Map<LabelledPair["label"], Tally> {
  const tallies = new Map<LabelledPair["label"], Tally>()
  for (const pair of pairs) {
    const before = tallies.get(pair.label)
    const [isOutdated, isContradicting, isNewerFirst] = judged(pair)
    tallies.set(pair.label, {
      pairs: (before?.pairs ?? 0) + 1,
      outdated: (before?.outdated ?? 0) + Number(isOutdated),
      contradicting: (before?.contradicting ?? 0) + Number(isContradicting),
      marked: (before?.marked ?? 0) + Number(isOutdated || isContradicting),
      newerFirst: (before?.newerFirst ?? 0) + Number(isNewerFirst),
    })
  }
  return tallies
}

function judged({
  query,
  older,
  newer,
  olderAuthor,
  newerAuthor,
}: LabelledPair): [boolean, boolean, boolean] {
  const hits = [
    { entry: noteOf("older", older, "2024-01-10T12:00:00.000Z", { author: olderAuthor ?? null }), score: 1 },
    {
      entry: noteOf("newer", newer, "2024-06-10T12:00:00.000Z", { author: newerAuthor ?? null }),
      score: 0.9,
    },
  ]
  const settled = settle(query, hits, { at: "2025-01-01T00:00:00.000Z", odds: readAll })
  return [
    settled.some(({ mark }) => mark.outdatedBy === "newer"),
    settled.some(({ mark }) => mark.contradicts.length > 0),
    settled[0]!.hit.entry.id === "newer",
  ]
}

export function noteOf(id: string, text: string, recordedAt: string, more: Partial<Entry> = {}): Entry {
  return {
    ...{ id, project: null, topic: "general", kind: "semantic", text, tags: [], key: null, source: null },
    ...{ author: null, role: null, session: null, ordinal: null, entities: [], metadata: {} },
    ...{ validFrom: null, validUntil: null, recordedAt, revisedAt: recordedAt, supersededAt: null },
    ...{ supersededBy: null, invalidReason: null, deletedAt: null, revision: 1 },
    ...more,
  }
}
