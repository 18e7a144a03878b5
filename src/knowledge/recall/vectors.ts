import type { Embedder } from "../../embed/port.ts"
import { dot, lengthOf, probeOf } from "../../vector/cosine.ts"
import { toScanRows } from "../../vector/quantize.ts"
import type { TextWindow } from "./document.ts"

/** The vectors of all entries in one space: a row for each stretch of a text. */
export class Vectors {
  readonly dimensions: number
  #rows: Int8Array
  #lengths: Float32Array
  readonly #slotOf: number[] = []
  readonly #rowsOf: (readonly number[] | undefined)[] = []
  readonly #free: number[] = []
  /** Sum of all rows at length 1, in fixed point: exact, whatever came and went. Null until it is wanted. */
  #sum: Float64Array | null = null
  #count = 0
  readonly #meanVector: Float64Array
  #meanSquares = 0
  #isMeanKnown = false
  #along = new Float64Array(0)

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#rows = new Int8Array(64 * dimensions)
    this.#lengths = new Float32Array(64)
    this.#meanVector = new Float64Array(dimensions)
  }

  /** `scaled`: rows of any length, as they are kept. */
  add(slot: number, scaled: Int8Array): void {
    const rows: number[] = []
    for (let at = 0; at < scaled.length; at += this.dimensions) {
      const row = this.#free.pop() ?? this.#slotOf.length
      this.#reserve(row)
      this.#rows.set(scaled.subarray(at, at + this.dimensions), row * this.dimensions)
      this.#lengths[row] = lengthOf(scaled, at, this.dimensions)
      this.#slotOf[row] = slot
      this.#count++
      this.#sumUp(row, 1)
      rows.push(row)
    }
    this.#rowsOf[slot] = rows
  }

  remove(slot: number): void {
    for (const row of this.#rowsOf[slot] ?? []) {
      this.#count--
      this.#sumUp(row, -1)
      this.#slotOf[row] = -1
      this.#free.push(row)
    }
    this.#rowsOf[slot] = undefined
  }

  /** By slot: the cosine of the nearest row, 0 where there is none. */
  cosines(query: Float32Array, capacity: number): Float64Array {
    const scores = new Float64Array(capacity)
    const probe = probeOf(query)
    if (probe === null) return scores
    for (let row = 0; row < this.#slotOf.length; row++) {
      const slot = this.#slotOf[row]!
      if (slot < 0 || this.#lengths[row] === 0) continue
      const cosine = dot(probe, this.#rows, row * this.dimensions) / this.#lengths[row]!
      if (cosine > scores[slot]!) scores[slot] = cosine
    }
    return scores
  }

  /** The same for one entry after the mean of the store is taken from both: what all entries share tells nothing. */
  centred(query: Float32Array): (slot: number) => number {
    const probe = probeOf(query)
    if (probe === null) return () => 0
    const mean = this.#mean()
    let shared = 0
    for (let i = 0; i < mean.length; i++) shared += mean[i]! * probe.vector[i]!
    const own = Math.sqrt(Math.max(0, 1 - 2 * shared + this.#meanSquares)) || 1
    return (slot) => {
      let best = 0
      for (const row of this.#rowsOf[slot] ?? []) {
        if (this.#lengths[row] === 0) continue
        const cosine = dot(probe, this.#rows, row * this.dimensions) / this.#lengths[row]!
        const along = this.#alongMean(row, mean)
        const length = Math.sqrt(Math.max(0, 1 - 2 * along + this.#meanSquares))
        if (length > 0) best = Math.max(best, (cosine - along - shared + this.#meanSquares) / (length * own))
      }
      return best
    }
  }

  #mean(): Float64Array {
    if (this.#isMeanKnown) return this.#meanVector
    const scale = FIXED_POINT * Math.max(1, this.#count)
    const sum = this.#sumOfAll()
    this.#meanSquares = 0
    for (let i = 0; i < this.dimensions; i++) {
      this.#meanVector[i] = sum[i]! / scale
      this.#meanSquares += this.#meanVector[i]! ** 2
    }
    this.#along = new Float64Array(this.#lengths.length).fill(Number.NaN)
    this.#isMeanKnown = true
    return this.#meanVector
  }

  /** The product of the mean and a row at length 1, kept until the mean changes. */
  #alongMean(row: number, mean: Float64Array): number {
    const known = this.#along[row]!
    if (!Number.isNaN(known)) return known
    let product = 0
    for (let i = 0, at = row * this.dimensions; i < this.dimensions; i++, at++)
      product += mean[i]! * this.#rows[at]!
    this.#along[row] = product / this.#lengths[row]!
    return this.#along[row]!
  }

  #sumOfAll(): Float64Array {
    if (this.#sum !== null) return this.#sum
    this.#sum = new Float64Array(this.dimensions)
    for (const [row, slot] of this.#slotOf.entries()) if (slot >= 0) this.#sumUp(row, 1)
    return this.#sum
  }

  #sumUp(row: number, sign: 1 | -1): void {
    this.#isMeanKnown = false
    const sum = this.#sum
    const length = this.#lengths[row]!
    if (sum === null || length === 0) return
    const scale = FIXED_POINT / length
    for (let i = 0, at = row * this.dimensions; i < this.dimensions; i++, at++) {
      // Whole numbers: what is added is exactly what is taken away later.
      sum[i]! += sign * ((this.#rows[at]! * scale) | 0)
    }
  }

  #reserve(row: number): void {
    if (row < this.#lengths.length) return
    const rows = new Int8Array(this.#rows.length * 2)
    rows.set(this.#rows)
    this.#rows = rows
    const lengths = new Float32Array(this.#lengths.length * 2)
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

/** Rows to be kept, one a text, one behind the other. */
export async function embedTexts(embedder: Embedder, texts: readonly string[]): Promise<Int8Array> {
  const vectors = await embedder.embedChunks(texts.map((text) => ({ text, names: [], path: "" })))
  return toScanRows(vectors, embedder.space.dimensions)
}

const STRETCH = 3
const FIXED_POINT = 2 ** 20
