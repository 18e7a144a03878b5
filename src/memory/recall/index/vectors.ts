/*
 * Vectors of the entries in one embedding space, one row of 8-bit numbers per stretch of text. `nearest` compares all
 * rows, or with many rows those that an i8 scan proposes; `cosines` are compared after subtracting the mean of the
 * candidates.
 */

import type { Embedder } from "../../../embed/port.ts"
import { dot, lengthOf, type Probe, probeOf } from "../../../vector/exact/cosine.ts"
import { toScanRows } from "../../../vector/exact/quantize.ts"
import { scanNearest } from "../../../vector/exact/scan.ts"
import { loadNative, type Native } from "../../../vector/hnsw/native.ts"
import { ranking, ScorePool, type Scores } from "../scores.ts"
import type { TextWindow } from "./analyse.ts"

export type NearestOptions = {
  readonly limit: number
  readonly accepts: (slot: number) => boolean
  /** Name of a slot; slots that are equally near are ordered by it. */
  readonly nameOf: (slot: number) => string
}

/** The vectors of all entries in one space; each stretch of a text has a row. */
export class Vectors {
  readonly dimensions: number
  #rows: Int8Array
  #lengths: Float32Array
  readonly #slotOf: number[]
  /** Rows by slot; null for an unchanged slot of an image, undefined for a free slot. */
  readonly #rowsOf: (readonly number[] | null | undefined)[]
  /** The rows of an image: those of slot i are [ends[i], ends[i + 1]). */
  readonly #frozenEnds: Uint32Array
  readonly #free: number[] = []
  readonly #scores = new ScorePool()
  #asked = 0

  constructor(dimensions: number, frozen: FrozenVectors | null = null) {
    this.dimensions = dimensions
    this.#rows = frozen?.rows ?? new Int8Array(64 * dimensions)
    this.#lengths = frozen?.lengths ?? new Float32Array(64)
    this.#frozenEnds = frozen?.ends ?? new Uint32Array(1)
    const slotCount = this.#frozenEnds.length - 1
    this.#rowsOf = new Array<null>(slotCount).fill(null)
    this.#slotOf = new Array<number>(this.#frozenEnds[slotCount]!)
    for (let slot = 0; slot < slotCount; slot++)
      for (let row = this.#frozenEnds[slot]!; row < this.#frozenEnds[slot + 1]!; row++)
        this.#slotOf[row] = slot
  }

  /** The slot's rows; empty for a free slot. */
  #rowsAt(slot: number): readonly number[] {
    const known = this.#rowsOf[slot]
    if (known !== null) return known ?? []
    const first = this.#frozenEnds[slot]!
    return Array.from({ length: this.#frozenEnds[slot + 1]! - first }, (_, i) => first + i)
  }

  /** The rows of these slots, for an image in which they are numbered in this order. */
  freeze(slots: readonly number[]): FrozenVectors {
    const ends = new Uint32Array(slots.length + 1)
    for (const [i, slot] of slots.entries()) ends[i + 1] = ends[i]! + this.#rowsAt(slot).length
    const rows = new Int8Array(ends[slots.length]! * this.dimensions)
    const lengths = new Float32Array(ends[slots.length]!)
    let at = 0
    for (const slot of slots)
      for (const row of this.#rowsAt(slot)) {
        rows.set(
          this.#rows.subarray(row * this.dimensions, (row + 1) * this.dimensions),
          at * this.dimensions,
        )
        lengths[at++] = this.#lengths[row]!
      }
    return { rows, lengths, ends }
  }

  /** Reserves space for this number of additional rows. */
  reserve(rows: number): void {
    this.#reserve(this.#slotOf.length + rows)
  }

  add(slot: number, { rows: scaled, squares }: QuantizedRows): void {
    const rows: number[] = []
    for (let at = 0; at < scaled.length; at += this.dimensions) {
      const row = this.#free.pop() ?? this.#slotOf.length
      this.#reserve(row)
      this.#rows.set(scaled.subarray(at, at + this.dimensions), row * this.dimensions)
      this.#lengths[row] = Math.sqrt(squares[at / this.dimensions]!)
      this.#slotOf[row] = slot
      rows.push(row)
    }
    this.#rowsOf[slot] = rows
  }

  remove(slot: number): void {
    for (const row of this.#rowsAt(slot)) {
      this.#slotOf[row] = -1
      this.#free.push(row)
    }
    this.#rowsOf[slot] = undefined
  }

  /** The accepted slots of the rows nearest to the query with a cosine above 0, best first. */
  nearest(query: Float32Array, { limit, accepts, nameOf }: NearestOptions): readonly number[] {
    const probe = probeOf(query)
    if (probe === null) return []
    const isFirst = this.#asked++ === 0
    const native = isFirst && this.#slotOf.length < MIN_NATIVE_ROWS ? null : loadNative()
    const scores =
      (native && this.#scoresByScan(native, probe, limit, accepts)) ?? this.#scoresOfAll(probe, accepts)
    const best = ranking(scores, limit, nameOf)
    this.#scores.release()
    return best
  }

  /** Cosine of each slot's nearest row, computed for all rows. */
  #scoresOfAll(probe: Probe, accepts: NearestOptions["accepts"]): Scores {
    const scores = this.#scores.take(this.#rowsOf.length)
    for (let row = 0; row < this.#slotOf.length; row++) {
      if (this.#counts(row, accepts)) scores.raise(this.#slotOf[row]!, this.#cosine(probe, row))
    }
    return scores
  }

  /**
   * Like #scoresOfAll, but only for the rows that an i8 scan finds nearest to the query. Enough rows are taken
   * that no other row can be among the best, because quantising the query changes a cosine by at most
   * `maxError`. Null when that takes too many rows.
   */
  #scoresByScan(native: Native, probe: Probe, limit: number, accepts: NearestOptions["accepts"]) {
    const { query, maxError } = scanQuery(probe, this.dimensions)
    const count = this.#slotOf.length
    for (let wanted = limit * FIRST_SCAN_FACTOR; wanted < count / SCAN_GROWTH; wanted *= SCAN_GROWTH) {
      const { rows, distances } = scanNearest(native, this.#rows, query, count, wanted)
      const scores = this.#scores.take(this.#rowsOf.length)
      for (const row of rows)
        if (this.#counts(row, accepts)) scores.raise(this.#slotOf[row]!, this.#cosine(probe, row))
      const beyond = 1 - distances[wanted - 1]! + maxError
      let sure = 0
      for (let i = 0; i < scores.count; i++) if (scores.of(scores.slots[i]!) > beyond) sure++
      if (sure >= limit) return scores
    }
    return null
  }

  #counts(row: number, accepts: NearestOptions["accepts"]): boolean {
    const slot = this.#slotOf[row]!
    return slot >= 0 && this.#lengths[row] !== 0 && accepts(slot)
  }

  #cosine(probe: Probe, row: number): number {
    return dot(probe, this.#rows, row * this.dimensions) / this.#lengths[row]!
  }

  /**
   * Cosines of a few entries after subtracting their mean from them and from the query, because what they
   * have in common does not distinguish them. Negative ones count as 0.
   */
  centred(query: Float32Array, slots: readonly number[]): ReadonlyMap<number, number> {
    const probe = probeOf(query)
    if (probe === null) return new Map()
    const cosineOf = this.#fromMean(probe, this.#meanOf(slots))
    const cosines = new Map<number, number>()
    for (const slot of slots) {
      let greatest = 0
      for (const row of this.#rowsAt(slot))
        if (this.#lengths[row]! > 0) greatest = Math.max(greatest, cosineOf(row))
      cosines.set(slot, greatest)
    }
    return cosines
  }

  #meanOf(slots: readonly number[]): Float64Array {
    const mean = new Float64Array(this.dimensions)
    let count = MEAN_PRIOR
    for (const slot of slots) {
      for (const row of this.#rowsAt(slot)) {
        if (this.#lengths[row] === 0) continue
        addScaled(mean, this.#rows, row * this.dimensions, 1 / this.#lengths[row]!)
        count++
      }
    }
    return mean.map((sum) => sum / count)
  }

  /**
   * Returns a function for the cosine between a row r of length 1 and the query q, both minus the mean m: |r
   * − m|² is 1 − 2 rm + m².
   */
  #fromMean({ vector }: Probe, mean: Float64Array): (row: number) => number {
    const away = mean.map((value, i) => vector[i]! - value)
    const length = Math.sqrt(product(away, away)) || 1
    const [ofMean, ofBoth] = [product(mean, mean), product(away, mean)]
    const products = new Float64Array(2)
    return (row) => {
      productsWith(mean, away, this.#rows, row * this.dimensions, products)
      const scale = 1 / this.#lengths[row]!
      const squares = 1 - 2 * scale * products[0]! + ofMean
      return squares <= 0 ? 0 : (scale * products[1]! - ofBoth) / (Math.sqrt(squares) * length)
    }
  }

  #reserve(row: number): void {
    if (row < this.#lengths.length) return
    const capacity = Math.max(row + 1, Math.ceil(this.#lengths.length * ROOM))
    const rows = new Int8Array(capacity * this.dimensions)
    rows.set(this.#rows)
    this.#rows = rows
    const lengths = new Float32Array(capacity)
    lengths.set(this.#lengths)
    this.#lengths = lengths
  }
}

/** The rows of an image: those of slot i are [ends[i], ends[i + 1]). Added rows are written to a copy. */
export type FrozenVectors = {
  readonly rows: Int8Array
  readonly lengths: Float32Array
  readonly ends: Uint32Array
}

/** Splits a text into the stretches that get a vector each: three passages, about 180 words. */
export function stretches(text: string, passages: readonly TextWindow[]): string[] {
  const found: string[] = []
  for (let at = 0; at < passages.length; at += PASSAGES_PER_STRETCH) {
    const last = passages[Math.min(at + PASSAGES_PER_STRETCH, passages.length) - 1]!
    found.push(text.slice(passages[at]!.start, last.end))
  }
  return found
}

/** Concatenated i8 rows, and the squares of their lengths, which are expensive to compute. */
export type QuantizedRows = { readonly rows: Int8Array; readonly squares: ArrayLike<number> }

/** Embeds the texts; the result has one row per text. */
export async function embedTexts(embedder: Embedder, texts: readonly string[]): Promise<QuantizedRows> {
  const { dimensions } = embedder.space
  const vectors = await embedder.embedChunks(texts.map((text) => ({ text, names: [], path: "" })))
  const rows = toScanRows(vectors, dimensions)
  const squares = texts.map((_, i) => Math.round(lengthOf(rows, i * dimensions, dimensions) ** 2))
  return { rows, squares }
}

/**
 * The quantised query, and the maximum error of a cosine that results from it, including the scan's own
 * rounding.
 */
function scanQuery({ vector }: Probe, dimensions: number): { query: Int8Array; maxError: number } {
  const query = toScanRows(vector, dimensions)
  const length = lengthOf(query, 0, dimensions)
  let squares = 0
  for (let i = 0; i < dimensions; i++) squares += (vector[i]! - query[i]! / length) ** 2
  return { query, maxError: Math.sqrt(squares) + 1e-5 }
}

function addScaled(sum: Float64Array, rows: Int8Array, at: number, scale: number): void {
  for (let i = 0; i < sum.length; i++) sum[i]! += rows[at + i]! * scale
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

/**
 * Dot products of two vectors with a row. A separate function, because a loop that sees two array types takes
 * three times as long.
 */
function productsWith(
  one: Float64Array,
  other: Float64Array,
  rows: Int8Array,
  at: number,
  products: Float64Array,
): void {
  let evenOne = 0
  let oddOne = 0
  let evenOther = 0
  let oddOther = 0
  const pairs = one.length & ~1
  for (let i = 0; i < pairs; i += 2) {
    const even = rows[at + i]!
    const odd = rows[at + i + 1]!
    evenOne += one[i]! * even
    oddOne += one[i + 1]! * odd
    evenOther += other[i]! * even
    oddOther += other[i + 1]! * odd
  }
  const last = pairs === one.length ? 0 : rows[at + pairs]!
  products[0] = evenOne + oddOne + (one[pairs] ?? 0) * last
  products[1] = evenOther + oddOther + (other[pairs] ?? 0) * last
}

/**
 * Min number of rows for loading the native addon. With fewer rows, a process that answers a single question compares
 * all rows in JavaScript.
 */
const MIN_NATIVE_ROWS = 2048
/** The first scan returns this many times `limit` rows: enough, unless most rows are not accepted. */
const FIRST_SCAN_FACTOR = 2
/** Growth factor of further scans; a scan returns at most 1 / this of all rows. */
const SCAN_GROWTH = 4

const PASSAGES_PER_STRETCH = 3
/** Growth factor of the table of rows. It is small, because the table can be the largest part of the process. */
const ROOM = 1.5
/** Added to the number of rows when the mean is weighed: with this many rows the mean has half of its full weight. */
const MEAN_PRIOR = 10
