/*
 * What the reader said of pairs of entries (models/reader.md): the log odds that the newer one makes the older one untrue.
 * An entry is read once, when it is written or by the idle server, together with the entries nearest to it.
 */

import type { ReadPairs } from "../../index/index.ts"
import type { Entry } from "../entries/entry.ts"
import { textHash } from "../entries/entry-rows.ts"

/** Minimum log odds of a conflict. */
export const MIN_ODDS = 2

/** Returns the log odds that the newer entry makes the older one untrue; null if the two were not read together. */
export type OddsOf = (older: Entry, newer: Entry) => number | null

type Pair = readonly [older: string, newer: string, hash: string, odds: number]

/** An entry that was read, with what was read, to be stored. */
export type EntryReading = { readonly entry: Entry; readonly body: string }

/** Stored readings of some entries. */
export class Readings {
  /** Ids of the entries that were read. */
  readonly entries: ReadonlySet<string>
  readonly #pairs = new Map<string, Pair>()

  constructor(rows: readonly { readonly entry: string; readonly body: string }[]) {
    const entries = new Set<string>()
    for (const { entry, body } of rows) {
      const pairs = pairsOf(body)
      if (pairs !== null) entries.add(entry)
      for (const pair of pairs ?? []) this.#pairs.set(keyOf(pair[0], pair[1], pair[2]), pair)
    }
    this.entries = entries
  }

  /** Ids of the pairs that conflict, the older one first. */
  get conflicts(): (readonly [older: string, newer: string])[] {
    const found = this.#pairs.values().filter(([, , , odds]) => odds >= MIN_ODDS)
    return [
      ...new Map(found.map(([older, newer]) => [`${older} ${newer}`, [older, newer] as const])).values(),
    ]
  }

  readonly odds: OddsOf = (older, newer) => {
    return this.#pairs.get(keyOf(older.id, newer.id, bothHash(older, newer)))?.[3] ?? null
  }
}

/** Reads an entry together with others, except those of which `known` has the odds. */
export async function readTogether(
  entry: Entry,
  others: readonly Entry[],
  { known, read }: { readonly known: OddsOf; readonly read: ReadPairs },
): Promise<EntryReading> {
  const pairs = others.map((other) => inOrder(entry, other)).filter((pair) => known(...pair) === null)
  const odds = await read(pairs.map(([older, newer]) => [older.text, newer.text] as const))
  const body = pairs.map(
    ([older, newer], at): Pair => [older.id, newer.id, bothHash(older, newer), round(odds[at]!)],
  )
  return { entry, body: JSON.stringify(body) }
}

/** Two entries by time, the older one first; of one time, the one whose id is less. */
export function inOrder(a: Entry, b: Entry): readonly [older: Entry, newer: Entry] {
  return (validSince(a) - validSince(b) || (a.id < b.id ? -1 : 1)) < 0 ? [a, b] : [b, a]
}

/** Time in ms since 1970 from which the entry is valid, if it states one; else when it was recorded or, with a key, revised. */
export function validSince({ validFrom, key, recordedAt, revisedAt }: Entry): number {
  return Date.parse(validFrom ?? (key === null ? recordedAt : revisedAt))
}

function keyOf(older: string, newer: string, hash: string): string {
  return `${older} ${newer} ${hash}`
}

/** The pairs of a stored row; null if it is damaged. */
function pairsOf(body: string): Pair[] | null {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

function bothHash(older: Entry, newer: Entry): string {
  return textHash(`${textHash(older.text)} ${textHash(newer.text)}`)
}

function round(odds: number): number {
  return Math.round(odds * 100) / 100
}
