import { AmanError, firstNot } from "../../base/index.ts"
import { loadNative, type Native } from "./native.ts"
import {
  CHUNK_KEY_STRIDE,
  type ChunkKey,
  type ChunkScorer,
  type VectorHit,
  type VectorIndex,
} from "./port.ts"
import {
  dot,
  lengthOf,
  type Probe,
  probeOf,
  type RowBlocks,
  readRow,
  toScanRows,
  unpackedRows,
} from "./rows.ts"

/** A table of vectors. Row i has the key `keys[i]`. */
export type VectorTable = {
  readonly dimensions: number
  readonly keys: Float64Array
  /**
   * Number of rows that are searched, from row 0 on. They are the vectors of chunks. The other rows are vectors of
   * whole files, which are only read by key.
   */
  readonly searched: number
  /** Row numbers in ascending order of their keys; null if the rows are in that order. */
  readonly order: Uint32Array | null
  /** The rows of the chunks, at the start of their buffer, for the scan; null if there are too many to scan. */
  readonly scan: Int8Array | null
  readonly chunks: RowBlocks
  /** Packed rows. */
  readonly fileVectors: RowBlocks
}

export type RowFilter = (key: ChunkKey) => boolean

/** How many more rows than requested are scored, because the scan rounds the query. */
export const OVERFETCH = { factor: 2, plus: 32 } as const

/** If a filter accepts a smaller share of the scanned rows than this, `#compare` compares each accepted row instead. */
const SCAN_SHARE = 1 / 8

/**
 * Up to this many rows, all rows are scored, which takes less than 1 ms. The result then does not depend on which rows
 * are merged already. (The last rows that the i8 scan proposes do depend on it.)
 */
const MAX_UNSCANNED_ROWS = 2_048

/** Exact search, which compares every chunk: the scan proposes rows, and these are scored. */
export class ExactIndex implements VectorIndex {
  readonly table: VectorTable
  readonly size: number
  readonly #fileVectors: RowBlocks
  readonly #native: () => Native | null
  /**
   * Lengths of rows, each computed when it is first needed; 0 means not computed yet. In 64 bits, so that a cosine is
   * the same the first time and later.
   */
  #lengths: Float64Array | null = null
  /** Position, in the order of keys, of the key that `rowOf` found last. The next one is usually close to it. */
  #place = 0

  /**
   * `native` is called by the first scan only, because loading the library takes 3 ms, and small tables are never
   * scanned.
   */
  constructor(table: VectorTable, native: () => Native | null = loadNative) {
    this.table = table
    this.size = table.keys.length
    this.#fileVectors = unpackedRows(table.fileVectors, table.dimensions)
    this.#native = native
  }

  search(query: Float32Array, limit: number, accept?: RowFilter): VectorHit[] {
    return this.searchFrom(0, query, limit, accept)
  }

  /** Searches the rows with numbers of at least `from`. */
  searchFrom(from: number, query: Float32Array, limit: number, accept?: RowFilter): VectorHit[] {
    const probe = this.probe(query)
    if (probe === null || limit <= 0 || from >= this.table.searched) return []
    const rows = from === 0 ? this.#propose(probe, limit, accept) : null
    return rows === null ? this.#compare(probe, from, limit, accept) : this.score(probe, rows, limit)
  }

  get(key: ChunkKey): Float32Array | null {
    const row = this.rowOf(key)
    return row < 0 ? null : this.read(row, row + 1)
  }

  /** The rows from `from` to `to` as f32, scaled to length 1, one after the other. */
  read(from: number, to: number): Float32Array {
    const { dimensions } = this.table
    const out = new Float32Array((to - from) * dimensions)
    for (let row = from; row < to; row++) {
      const [rows, place] = this.#placeOf(row)
      const at = rows.seek(place)
      readRow(rows.block, at, dimensions, out, (row - from) * dimensions)
    }
    return out
  }

  scorer(query: Float32Array): ChunkScorer {
    const probe = this.probe(query)
    if (probe === null) return () => 0
    return (key, last) => {
      const row = this.rowOf(key)
      return row < 0 ? 0 : this.#cosine(probe, row, last === undefined ? 0 : last - key + 1)
    }
  }

  /** Scores the proposed rows, and returns the best `limit`. */
  score(probe: Probe, rows: readonly number[], limit: number): VectorHit[] {
    const { keys } = this.table
    // In the order of storage, so that neighbouring rows are read together.
    const inOrder = Array.from(rows).sort((a, b) => a - b)
    return inOrder
      .map((row, i) => ({
        key: keys[row]!,
        score: this.#cosine(probe, row, lastOfRun(inOrder, i) - row + 1),
      }))
      .sort(nearestFirst)
      .slice(0, limit)
  }

  /** Prepares a query; null if it is all zeros. Throws INDEX_CORRUPT if it has the wrong number of dimensions. */
  probe(query: Float32Array): Probe | null {
    const { dimensions } = this.table
    if (query.length === dimensions) return probeOf(query)
    throw new AmanError(
      "INDEX_CORRUPT",
      `the query vector has ${query.length} dimensions, but the index has ${dimensions}`,
      {
        hint: "run: aman index",
      },
    )
  }

  /**
   * The row of a key; −1 if there is none. Lookups are fastest if the keys of one file are requested in ascending
   * order.
   */
  rowOf(key: ChunkKey): number {
    const last = this.#keyAt(this.#place)
    const isNear = last <= key && key - last < CHUNK_KEY_STRIDE
    const place = isNear ? this.#placeFrom(this.#place, key) : this.#placeAmong(0, this.size, key)
    if (this.#keyAt(place) !== key) return -1
    this.#place = place
    return this.#rowAt(place)
  }

  [Symbol.dispose](): void {
    this.table.chunks.close()
    this.table.fileVectors.close()
    this.#lengths = null
  }

  #rowAt(place: number): number {
    const { order } = this.table
    return order === null ? place : order[place]!
  }

  /** The key at a position in the order of keys; NaN after the last one. */
  #keyAt(place: number): number {
    return place < this.size ? this.table.keys[this.#rowAt(place)]! : Number.NaN
  }

  /** The position of a key that is probably a few positions after `place`, found by galloping search. */
  #placeFrom(place: number, key: ChunkKey): number {
    let from = place
    let step = 1
    while (this.#keyAt(from + step) < key) {
      from += step
      step *= 2
    }
    return this.#placeAmong(from, Math.min(from + step + 1, this.size), key)
  }

  /** The first position in [from, to) whose key is at least `key`; `to` if there is none. Binary search. */
  #placeAmong(from: number, to: number, key: ChunkKey): number {
    return firstNot(from, to, (place) => this.#keyAt(place) < key)
  }

  #placeOf(row: number): [rows: RowBlocks, place: number] {
    const { chunks, searched } = this.table
    return row < searched ? [chunks, row] : [this.#fileVectors, row - searched]
  }

  /**
   * The cosine of the query and a row. `expected` is the number of consecutive rows, from this one on, that will be
   * read; 0 if unknown.
   */
  #cosine(probe: Probe, row: number, expected = 0): number {
    const [rows, place] = this.#placeOf(row)
    const at = rows.seek(place, expected)
    const { block } = rows
    const product = dot(probe, block, at)
    if (product === 0) return 0
    this.#lengths ??= new Float64Array(this.size)
    const cachedLength = this.#lengths[row]!
    if (cachedLength > 0) return product / cachedLength
    const length = lengthOf(block, at, this.table.dimensions)
    this.#lengths[row] = length
    return product / length
  }

  /**
   * Scans all rows, and keeps the nearest ones that `accept` allows. Null if a scan would not be faster, or if it finds
   * too few.
   */
  #propose(probe: Probe, limit: number, accept: RowFilter | undefined): number[] | null {
    const { scan, keys, dimensions, searched } = this.table
    if (scan === null || searched <= MAX_UNSCANNED_ROWS) return null
    const native = this.#native()
    if (native === null) return null
    const query = toScanRows(probe.vector, dimensions)
    for (let expected = limit * OVERFETCH.factor + OVERFETCH.plus; ; expected *= 4) {
      const { rows, distances } = scanNearest(native, scan, query, searched, expected)
      const kept = [...rows.keys()].filter((i) => accept === undefined || accept(keys[rows[i]!]!))
      if (rows.length === searched || isComplete(kept, limit, distances)) return kept.map((i) => rows[i]!)
      if (accept !== undefined && kept.length < rows.length * SCAN_SHARE) return null
    }
  }

  /** Compares each row with the query: 70 ns per row for a query with many zeros, otherwise 0.4 µs. */
  #compare(probe: Probe, from: number, limit: number, accept: RowFilter | undefined): VectorHit[] {
    const { keys, searched } = this.table
    const maxKept = limit * 2 + OVERFETCH.plus
    let best: VectorHit[] = []
    let minScore = Number.NEGATIVE_INFINITY
    for (let row = from; row < searched; row++) {
      const key = keys[row]!
      if (accept !== undefined && !accept(key)) continue
      const score = this.#cosine(probe, row)
      if (score < minScore || best.push({ key, score }) < maxKept) continue
      best = best.sort(nearestFirst).slice(0, limit)
      minScore = best[limit - 1]!.score
    }
    return best.sort(nearestFirst).slice(0, limit)
  }
}

/** Order of hits, best first. Ties are broken by key, so that equal chunks have the same order in every process. */
export function nearestFirst(a: VectorHit, b: VectorHit): number {
  return b.score - a.score || a.key - b.key
}

/**
 * True if no row that the scan did not return can be among the best. Copies of a text have the same distance: if the
 * last row returned is as near as the last one needed, there may be more copies.
 */
function isComplete(kept: readonly number[], limit: number, distances: Float32Array): boolean {
  return kept.length >= limit && distances[distances.length - 1]! > distances[kept[limit - 1]!]!
}

/** Row numbers and their distances from the query, nearest first. */
type Scanned = { readonly rows: readonly number[]; readonly distances: Float32Array }

/**
 * The exact nearest `limit` rows among the first `count` i8 rows. A row of 768 numbers takes 45 ns. `rows` must start
 * at the beginning of its buffer.
 */
function scanNearest(
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
