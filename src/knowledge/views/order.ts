import type { Entry } from "../entry.ts"

/** Newest first; of one moment the one made last. */
export function byNewest(a: Entry, b: Entry): number {
  return compare(b.recordedAt, a.recordedAt) || compare(b.id, a.id)
}

/** By code units: the same in every place. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
