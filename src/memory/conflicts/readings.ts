/*
 * What the reader said of pairs of entries (models/reader.md): the log odds that the newer one makes the older one untrue.
 * An entry is read once, when it is written or by the idle server, together with the entries nearest to it.
 */

import type { ReadPairs } from "../../index/index.ts"
import type { EntryPair, ReadPair } from "../../store/index.ts"
import type { Entry } from "../entries/entry.ts"
import { textHash } from "../entries/entry-rows.ts"

/** Minimum log odds of a conflict. */
export const MIN_ODDS = 2

/** Returns the log odds that the newer entry makes the older one untrue; null if the two were not read together. */
export type OddsOf = (older: Entry, newer: Entry) => number | null

/** What was read of some entries. */
export class Readings {
  readonly #pairs: ReadonlyMap<string, EntryPair>

  constructor(pairs: readonly EntryPair[]) {
    this.#pairs = new Map(pairs.map((pair) => [keyOf(pair.older, pair.newer), pair]))
  }

  /** The pairs with the odds of a conflict. */
  get conflicts(): readonly EntryPair[] {
    return [...this.#pairs.values()].filter(({ odds }) => odds >= MIN_ODDS)
  }

  readonly odds: OddsOf = (older, newer) => this.#pairs.get(keyOf(older.id, newer.id))?.odds ?? null
}

/** Reads an entry together with others, except those of which `known` has the odds; returns what was read, to be stored. */
export async function readTogether(
  entry: Entry,
  others: readonly Entry[],
  { known, read }: { readonly known: OddsOf; readonly read: ReadPairs },
): Promise<ReadPair[]> {
  const unread = others.map((other) => inOrder(entry, other)).filter((pair) => known(...pair) === null)
  const odds = await read(unread.map(([older, newer]) => [older.text, newer.text] as const))
  return unread.map(([older, newer], at) => ({
    ...{ older: older.id, newer: newer.id, odds: round(odds[at]!) },
    ...{ olderHash: textHash(older.text), newerHash: textHash(newer.text) },
  }))
}

/** Two entries by time, the older one first; of one time, the one whose id is less. */
export function inOrder(a: Entry, b: Entry): readonly [older: Entry, newer: Entry] {
  return (validSince(a) - validSince(b) || (a.id < b.id ? -1 : 1)) < 0 ? [a, b] : [b, a]
}

/** Time in ms since 1970 from which the entry is valid, if it states one; else when it was recorded or, with a key, revised. */
export function validSince({ validFrom, key, recordedAt, revisedAt }: Entry): number {
  return Date.parse(validFrom ?? (key === null ? recordedAt : revisedAt))
}

function keyOf(older: string, newer: string): string {
  return `${older} ${newer}`
}

function round(odds: number): number {
  return Math.round(odds * 100) / 100
}
