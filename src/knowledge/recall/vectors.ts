import type { Embedder } from "../../embed/port.ts"
import { dot, lengthOf, type Probe, probeOf } from "../../vector/cosine.ts"
import { loadNative, type Native } from "../../vector/native.ts"
import { toScanRows } from "../../vector/quantize.ts"
import { scanNearest } from "../../vector/scan.ts"
import type { TextWindow } from "./document.ts"
import { ranking } from "./fusion.ts"
import { ScorePool, type Scores } from "./scores.ts"

export type Wanted = {
  readonly limit: number
  readonly accepts: (slot: number) => boolean
  /** Equally near ones are ordered by it. */
  readonly nameOf: (slot: number) => string
}

/** The vectors of all entries in one space: a row for each stretch of a text. */
export class Vectors {
  readonly dimensions: number
  #rows: Int8Array
  #lengths: Float32Array
  readonly #slotOf: number[] = []
  readonly #rowsOf: (readonly number[] | undefined)[] = []
  readonly #free: number[] = []
  readonly #scores = new ScorePool()
  #asked = 0

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#rows = new Int8Array(64 * dimensions)
    this.#lengths = new Float32Array(64)
  }

  /** Makes room for so many rows more. */
  reserve(rows: number): void {
    this.#reserve(this.#slotOf.length + rows)
  }

  add(slot: number, { rows: scaled, squares }: KeptRows): void {
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
    for (const row of this.#rowsOf[slot] ?? []) {
      this.#slotOf[row] = -1
      this.#free.push(row)
    }
    this.#rowsOf[slot] = undefined
  }

  /** The slots of the rows nearest to the query, best first: of those that are accepted, and at all alike. */
  nearest(query: Float32Array, { limit, accepts, nameOf }: Wanted): readonly number[] {
    const probe = probeOf(query)
    if (probe === null) return []
    const isFirst = this.#asked++ === 0
    const native = isFirst && this.#slotOf.length < FEW_ROWS ? null : loadNative()
    const scores = (native && this.#proposed(native, probe, limit, accepts)) ?? this.#compared(probe, accepts)
    const best = ranking(scores, limit, nameOf)
    this.#scores.release()
    return best
  }

  /** By slot, the cosine of its nearest row: all of them. */
  #compared(probe: Probe, accepts: Wanted["accepts"]): Scores {
    const scores = this.#scores.take(this.#rowsOf.length)
    for (let row = 0; row < this.#slotOf.length; row++) {
      if (this.#counts(row, accepts)) scores.raise(this.#slotOf[row]!, this.#cosine(probe, row))
    }
    return scores
  }

  /**
   * The same of those alone that a scan finds nearest to the query as i8: enough of them that no other row can be
   * among the best, since its cosine is off by no more than the query was moved. Null where that takes too many.
   */
  #proposed(native: Native, probe: Probe, limit: number, accepts: Wanted["accepts"]) {
    const { query, moved } = scanQuery(probe, this.dimensions)
    const count = this.#slotOf.length
    for (let wanted = limit * FIRST; wanted < count / PROPOSED; wanted *= PROPOSED) {
      const { rows, distances } = scanNearest(native, this.#rows, query, count, wanted)
      const scores = this.#scores.take(this.#rowsOf.length)
      for (const row of rows)
        if (this.#counts(row, accepts)) scores.raise(this.#slotOf[row]!, this.#cosine(probe, row))
      const beyond = 1 - distances[wanted - 1]! + moved
      let sure = 0
      for (let i = 0; i < scores.count; i++) if (scores.of(scores.slots[i]!) > beyond) sure++
      if (sure >= limit) return scores
    }
    return null
  }

  #counts(row: number, accepts: Wanted["accepts"]): boolean {
    const slot = this.#slotOf[row]!
    return slot >= 0 && this.#lengths[row] !== 0 && accepts(slot)
  }

  #cosine(probe: Probe, row: number): number {
    return dot(probe, this.#rows, row * this.dimensions) / this.#lengths[row]!
  }

  /**
   * The cosines of a few entries after their mean is taken from them and from the query: what all share tells nothing.
   */
  centred(query: Float32Array, slots: readonly number[]): ReadonlyMap<number, number> {
    const probe = probeOf(query)
    if (probe === null) return new Map()
    const cosineOf = this.#fromMean(probe, this.#meanOf(slots))
    const cosines = new Map<number, number>()
    for (const slot of slots) {
      let greatest = 0
      for (const row of this.#rowsOf[slot] ?? [])
        if (this.#lengths[row]! > 0) greatest = Math.max(greatest, cosineOf(row))
      cosines.set(slot, greatest)
    }
    return cosines
  }

  #meanOf(slots: readonly number[]): Float64Array {
    const mean = new Float64Array(this.dimensions)
    let count = FEW
    for (const slot of slots) {
      for (const row of this.#rowsOf[slot] ?? []) {
        if (this.#lengths[row] === 0) continue
        addScaled(mean, this.#rows, row * this.dimensions, 1 / this.#lengths[row]!)
        count++
      }
    }
    return mean.map((sum) => sum / count)
  }

  /** Of a row r of length 1 with the query q, both without the mean m: |r − m|² is 1 − 2 rm + m². */
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
    const capacity = Math.max(row + 1, this.#lengths.length * 2)
    const rows = new Int8Array(capacity * this.dimensions)
    rows.set(this.#rows)
    this.#rows = rows
    const lengths = new Float32Array(capacity)
    lengths.set(this.#lengths)
    this.#lengths = lengths
  }
}

/** The stretches of a text that have a vector each: three passages, about 180 words. */
export function stretches(text: string, passages: readonly TextWindow[]): string[] {
  const found: string[] = []
  for (let at = 0; at < passages.length; at += STRETCH) {
    const last = passages[Math.min(at + STRETCH, passages.length) - 1]!
    found.push(text.slice(passages[at]!.start, last.end))
  }
  return found
}

/** i8 rows of any length, one behind the other, and the squares of their lengths, which are dear to compute. */
export type KeptRows = { readonly rows: Int8Array; readonly squares: ArrayLike<number> }

/** A row for each text. */
export async function embedTexts(embedder: Embedder, texts: readonly string[]): Promise<KeptRows> {
  const { dimensions } = embedder.space
  const vectors = await embedder.embedChunks(texts.map((text) => ({ text, names: [], path: "" })))
  const rows = toScanRows(vectors, dimensions)
  const squares = texts.map((_, i) => Math.round(lengthOf(rows, i * dimensions, dimensions) ** 2))
  return { rows, squares }
}

/** The query as the scan has it, and how far that took it from where it was, with what the scan rounds. */
function scanQuery({ vector }: Probe, dimensions: number): { query: Int8Array; moved: number } {
  const query = toScanRows(vector, dimensions)
  const length = lengthOf(query, 0, dimensions)
  let squares = 0
  for (let i = 0; i < dimensions; i++) squares += (vector[i]! - query[i]! / length) ** 2
  return { query, moved: Math.sqrt(squares) + 1e-5 }
}

function addScaled(sum: Float64Array, rows: Int8Array, at: number, scale: number): void {
  for (let i = 0; i < sum.length; i++) sum[i]! += rows[at + i]! * scale
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

/** Of two vectors with a row. Of its own, since a loop that meets two kinds of arrays takes three times as long. */
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

/** A process for one question compares so few as they are, and spares itself loading the addon. */
const FEW_ROWS = 2048
/** So many times as many as are wanted are proposed first: enough, unless most are not accepted. */
const FIRST = 2
/** Then so many times as many, and at most such a share of all. */
const PROPOSED = 4
const STRETCH = 3
/** A mean of so few rows is half believed. */
const FEW = 10
