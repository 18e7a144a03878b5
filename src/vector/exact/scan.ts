import type { Native } from "../hnsw/native.ts"

/** Row numbers and their distances from the query, nearest first. */
export type Scanned = { readonly rows: readonly number[]; readonly distances: Float32Array }

/**
 * The exact nearest `limit` rows among the first `count` i8 rows. A row of 768 numbers takes 45 ns. `rows` must start
 * at the beginning of its buffer.
 */
export function scanNearest(
  native: Native,
  rows: Int8Array,
  query: Int8Array,
  count: number,
  limit: number,
): Scanned {
  const wanted = Math.min(limit, count)
  if (wanted === 0) return { rows: [], distances: new Float32Array(0) }
  const dimensions = query.length
  const all = rows.length === count * dimensions ? rows : rows.subarray(0, count * dimensions)
  const [nearest, distances] = native.exactSearch(all, query, dimensions, wanted, "cos", 1)
  return { rows: Array.from(nearest, Number), distances }
}

/**
 * Rows whose numbers differ by at most this are read in one call: another call costs as much as reading the three rows
 * in between.
 */
const NEAR = 4

/**
 * The last number of the run that begins at position `from`. In a run, each number is at most NEAR greater than the one
 * before.
 */
export function lastOfRun(numbers: readonly number[], from: number): number {
  let last = from
  while (last + 1 < numbers.length && numbers[last + 1]! - numbers[last]! <= NEAR) last++
  return numbers[last]!
}
