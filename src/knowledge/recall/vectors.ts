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

  /** The same for a few entries after their mean is taken from them and from the query: what all share tells nothing. */
  centred(query: Float32Array, slots: readonly number[]): ReadonlyMap<number, number> {
    const rows = slots.map((slot) => (this.#rowsOf[slot] ?? []).filter((row) => this.#lengths[row]! > 0))
    const probe = probeOf(query)
    if (probe === null) return new Map()
    const mean = this.#meanOf(rows.flat())
    const away = mean.map((value, i) => probe.vector[i]! - value)
    const length = Math.sqrt(away.reduce((sum, value) => sum + value * value, 0)) || 1
    return new Map(
      slots.map((slot, i) => [
        slot,
        Math.max(0, ...rows[i]!.map((row) => this.#away(row, mean, away) / length)),
      ]),
    )
  }

  #meanOf(rows: readonly number[]): Float64Array {
    const mean = new Float64Array(this.dimensions)
    for (const row of rows) {
      const scale = 1 / (this.#lengths[row]! * (rows.length + FEW))
      for (let i = 0, at = row * this.dimensions; i < this.dimensions; i++, at++) {
        const value = this.#rows[at]!
        if (value !== 0) mean[i]! += value * scale
      }
    }
    return mean
  }

  #away(row: number, mean: Float64Array, away: Float64Array): number {
    const scale = 1 / this.#lengths[row]!
    let product = 0
    let squares = 0
    for (let i = 0, at = row * this.dimensions; i < this.dimensions; i++, at++) {
      const value = this.#rows[at]! * scale - mean[i]!
      product += away[i]! * value
      squares += value * value
    }
    return squares === 0 ? 0 : product / Math.sqrt(squares)
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

const STRETCH = 3
/** A mean of so few rows is half believed. */
const FEW = 10
