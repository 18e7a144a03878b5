import type { Native } from "./native.ts"

/** Rows by distance from the query, nearest first. */
export type Scanned = { readonly rows: readonly number[]; readonly distances: Float32Array }

/**
 * The nearest `limit` of the first `count` i8 rows, exactly: 45 ns a row of 768 with usearch, 700 ns without.
 * `rows` starts at the beginning of its buffer.
 */
export function scanNearest(
  native: Native | null,
  rows: Int8Array,
  query: Int8Array,
  count: number,
  limit: number,
): Scanned {
  const wanted = Math.min(limit, count)
  if (wanted === 0) return { rows: [], distances: new Float32Array(0) }
  if (native === null) return scanPlainly(rows, query, count, wanted)
  const dimensions = query.length
  const all = rows.length === count * dimensions ? rows : rows.subarray(0, count * dimensions)
  const [found, distances] = native.exactSearch(all, query, dimensions, wanted, "cos", 1)
  return { rows: Array.from(found, Number), distances }
}

function scanPlainly(rows: Int8Array, query: Int8Array, count: number, limit: number): Scanned {
  const distances = new Float32Array(count)
  const length = Math.sqrt(dot(query, query, 0, query.length)[0])
  for (let row = 0; row < count; row++) {
    const [product, squares] = dot(query, rows, row * query.length, query.length)
    distances[row] = squares === 0 || length === 0 ? 1 : 1 - product / (Math.sqrt(squares) * length)
  }
  const order = Array.from(distances.keys()).sort((a, b) => distances[a]! - distances[b]! || a - b)
  const nearest = order.slice(0, limit)
  return { rows: nearest, distances: Float32Array.from(nearest, (row) => distances[row]!) }
}

function dot(
  query: Int8Array,
  rows: Int8Array,
  at: number,
  dimensions: number,
): [product: number, squares: number] {
  let product = 0
  let squares = 0
  for (let i = 0; i < dimensions; i++) {
    const value = rows[at + i]!
    product += query[i]! * value
    squares += value * value
  }
  return [product, squares]
}
