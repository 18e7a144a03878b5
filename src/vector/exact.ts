import { AmanError } from "../base/errors.ts"
import { dot, lengthOf, type Probe, probeOf, readRow, type StoredRows } from "./cosine.ts"
import { loadNative, type Native } from "./native.ts"
import type { ChunkKey, VectorHit, VectorIndex } from "./port.ts"
import { toScanRows } from "./quantize.ts"
import { scanNearest } from "./scan.ts"

/** A table of vectors: row i has key `keys[i]`. */
export type Table = {
  readonly dimensions: number
  readonly keys: Float64Array
  /** Only the first so many rows are searched; the others (views.ts) answer for their key. */
  readonly searched: number
  /** Row numbers by ascending key; null where the rows lie so. */
  readonly order: Uint32Array | null
  /** The form that is scanned: i8 from the start of its buffer. */
  readonly scan: Int8Array
  /** The form that scores; the scan's own where vectors are kept as i8. */
  readonly stored: StoredRows
}

export type Accept = (key: ChunkKey) => boolean

/** Rows copied together at a time where only some may answer. */
const GATHER_ROWS = 4096
/** Scan and score round differently: so many more than asked for are scored, and the best kept. */
export const OVERFETCH = { factor: 2, plus: 32 } as const

/** Every row that is searched, compared. The i8 scan proposes, the stored precision scores. */
export class ExactIndex implements VectorIndex {
  readonly table: Table
  readonly size: number
  readonly #native: Native | null
  #scratch: Int8Array | null = null
  /** Lengths of i8 rows as they are asked for; 0 is not known yet. */
  #lengths: Float32Array | null = null

  constructor(table: Table, native: Native | null = loadNative()) {
    this.table = table
    this.size = table.keys.length
    this.#native = native
  }

  search(query: Float32Array, limit: number, accept?: Accept): VectorHit[] {
    return this.searchFrom(0, query, limit, accept)
  }

  /** Of the rows from number `from` on. */
  searchFrom(from: number, query: Float32Array, limit: number, accept?: Accept): VectorHit[] {
    const probe = this.probe(query)
    if (probe === null || limit <= 0 || from >= this.table.searched) return []
    const rows = from === 0 ? this.#nearest(probe, limit, accept) : this.#gather(probe, limit, from, accept)
    return this.score(probe, rows, limit)
  }

  get(key: ChunkKey): Float32Array | null {
    const row = this.rowOf(key)
    if (row < 0) return null
    return readRow(this.table.stored, row * this.table.dimensions, this.table.dimensions)
  }

  scorer(query: Float32Array): (key: ChunkKey) => number {
    const probe = this.probe(query)
    if (probe === null) return () => 0
    return (key) => {
      const row = this.rowOf(key)
      return row < 0 ? 0 : this.#cosine(probe, row)
    }
  }

  /** Of proposed rows the best `limit`, by the stored precision. */
  score(probe: Probe, rows: readonly number[], limit: number): VectorHit[] {
    const { keys } = this.table
    return rows
      .map((row) => ({ key: keys[row]!, score: this.#cosine(probe, row) }))
      .sort(nearestFirst)
      .slice(0, limit)
  }

  /** Null where the query is all zeros. Wrong dimensions are a mistake of the program. */
  probe(query: Float32Array): Probe | null {
    const { dimensions } = this.table
    if (query.length === dimensions) return probeOf(query)
    throw new AmanError(
      "INDEX_CORRUPT",
      `a query of ${query.length} dimensions for vectors of ${dimensions}`,
      {
        hint: "run: aman index",
      },
    )
  }

  /** The row of a key, −1 where it is not here. */
  rowOf(key: ChunkKey): number {
    const { keys, order } = this.table
    let low = 0
    let high = this.size - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const row = order === null ? middle : order[middle]!
      const found = keys[row]!
      if (found === key) return row
      if (found < key) low = middle + 1
      else high = middle - 1
    }
    return -1
  }

  [Symbol.dispose](): void {
    this.#scratch = null
    this.#lengths = null
  }

  #cosine(probe: Probe, row: number): number {
    const { stored, dimensions } = this.table
    const product = dot(probe, stored, row * dimensions)
    if (!(stored instanceof Int8Array) || product === 0) return product
    this.#lengths ??= new Float32Array(this.size)
    const known = this.#lengths[row]!
    if (known > 0) return product / known
    const length = lengthOf(stored, row * dimensions, dimensions)
    this.#lengths[row] = length
    return product / length
  }

  /** Scans all and asks `accept` about the nearest; about every row, where too few of those may answer. */
  #nearest(probe: Probe, limit: number, accept: Accept | undefined): number[] {
    const { scan, keys, dimensions, searched } = this.table
    const query = toScanRows(probe.vector, dimensions)
    for (let wanted = limit * OVERFETCH.factor + OVERFETCH.plus; ; wanted *= 4) {
      const { rows, distances } = scanNearest(this.#native, scan, query, searched, wanted)
      const kept = [...rows.keys()].filter((i) => accept === undefined || accept(keys[rows[i]!]!))
      if (rows.length === searched || isComplete(kept, limit, distances)) return kept.map((i) => rows[i]!)
      if (accept !== undefined && kept.length * 8 < rows.length) return this.#gather(probe, limit, 0, accept)
    }
  }

  /** Copies the rows that may answer together and scans those. */
  #gather(probe: Probe, limit: number, from: number, accept: Accept | undefined): number[] {
    const { scan, keys, dimensions, searched } = this.table
    const query = toScanRows(probe.vector, dimensions)
    const wanted = limit * OVERFETCH.factor + OVERFETCH.plus
    this.#scratch ??= new Int8Array(GATHER_ROWS * dimensions)
    const scratch = this.#scratch
    const found: { row: number; distance: number }[] = []
    const block: number[] = []
    const flush = () => {
      const { rows, distances } = scanNearest(this.#native, scratch, query, block.length, wanted)
      for (const [i, row] of rows.entries()) found.push({ row: block[row]!, distance: distances[i]! })
      block.length = 0
    }
    for (let row = from; row < searched; row++) {
      if (accept !== undefined && !accept(keys[row]!)) continue
      scratch.set(scan.subarray(row * dimensions, (row + 1) * dimensions), block.length * dimensions)
      if (block.push(row) === GATHER_ROWS) flush()
    }
    flush()
    return found
      .sort((a, b) => a.distance - b.distance || keys[a.row]! - keys[b.row]!)
      .slice(0, wanted)
      .map(({ row }) => row)
  }
}

/** Best first; ties by key, so that equal chunks come in one order in every process. */
export function nearestFirst(a: VectorHit, b: VectorHit): number {
  return b.score - a.score || a.key - b.key
}

/**
 * Whether rows further away could not be among the best any more. Copies of one text have one distance: where
 * the last row scanned is as near as the last one needed, more of them may follow.
 */
function isComplete(kept: readonly number[], limit: number, distances: Float32Array): boolean {
  return kept.length >= limit && distances[distances.length - 1]! > distances[kept[limit - 1]!]!
}
