import type { Native } from "./native.ts"

/** Rows by distance from the query, nearest first. */
export type Scanned = { readonly rows: readonly number[]; readonly distances: Float32Array }

/**
 * The nearest `limit` of the first `count` i8 rows, exactly: 45 ns a row of 768. `rows` starts at the beginning
 * of its buffer.
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
  const [found, distances] = native.exactSearch(all, query, dimensions, wanted, "cos", 1)
  return { rows: Array.from(found, Number), distances }
}
