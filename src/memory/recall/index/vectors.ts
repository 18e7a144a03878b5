/*
 * Vectors of the entries in one embedding space, one row of 8-bit numbers per stretch of text. `nearest` compares all
 * rows with a query of 16-bit numbers, and the rows that can be among the nearest exactly; `centred` compares a few rows
 * after subtracting their mean.
 */

import {
  dot,
  type Embedder,
  type EmbeddingSpace,
  isSameSpace,
  lengthOf,
  type Probe,
  probeOf,
  RowTable,
  sentenceEncoder,
  toScanRows,
} from "../../../index/index.ts"
import { ranking, ScorePool, type Weights, weightsFor } from "../scores.ts"
import { sentencesOf, type TextWindow } from "./analyse.ts"
import type { Corpus } from "./corpus.ts"

type NearestOptions = {
  readonly limit: number
  readonly accepts: (slot: number) => boolean
  /** Name of a slot; slots that are equally near are ordered by it. */
  readonly nameOf: (slot: number) => string
}

/** The vectors of all entries in one space; each stretch of a text has a row. */
export class Vectors {
  readonly dimensions: number
  readonly #table: RowTable
  #lengths: Float32Array
  readonly #slotOf: number[]
  /** Rows by slot; null for an unchanged slot of an image, undefined for a free slot. */
  readonly #rowsOf: (readonly number[] | null | undefined)[]
  /** The rows of an image: those of slot i are [ends[i], ends[i + 1]). */
  readonly #frozenEnds: Uint32Array
  readonly #free: number[] = []
  readonly #scores = new ScorePool()

  constructor(dimensions: number, frozen: FrozenVectors | null = null) {
    this.dimensions = dimensions
    this.#table = new RowTable(dimensions, frozen === null ? MIN_ROWS : frozen.lengths.length)
    if (frozen !== null) this.#table.rows.set(frozen.rows)
    this.#lengths = frozen?.lengths ?? new Float32Array(MIN_ROWS)
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
          this.#table.rows.subarray(row * this.dimensions, (row + 1) * this.dimensions),
          at * this.dimensions,
        )
        lengths[at++] = this.#lengths[row]!
      }
    return { rows, lengths, ends }
  }

  add(slot: number, { rows: scaled, squares }: QuantizedRows): void {
    const rows: number[] = []
    for (let at = 0; at < scaled.length; at += this.dimensions) {
      const row = this.#free.pop() ?? this.#slotOf.length
      this.#reserve(row)
      this.#table.rows.set(scaled.subarray(at, at + this.dimensions), row * this.dimensions)
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
    if (probe === null || limit === 0) return []
    const scores = this.#scores.take(this.#rowsOf.length)
    for (const row of this.#nearestRows(probe, limit, accepts))
      scores.raise(this.#slotOf[row]!, this.#cosine(probe, row))
    const best = ranking(scores, limit, nameOf)
    this.#scores.release()
    return best
  }

  /** The rows of accepted slots that can be among those of the nearest `limit` slots. */
  #nearestRows({ vector }: Probe, limit: number, accepts: NearestOptions["accepts"]): number[] {
    const { scale, maxError } = this.#table.setQuery(vector)
    const margin = maxError + ROUNDING
    const slotOf = this.#slotOf
    const lengths = this.#lengths
    const nearest = new NearestBounds(limit)
    const rows: number[] = []
    const bounds: number[] = []
    this.#table.compare(slotOf.length, (products, first, length) => {
      for (let i = 0; i < length; i++) {
        const row = first + i
        const slot = slotOf[row]!
        const bound = (products[i]! * scale) / lengths[row]! + margin
        // A row of zeros has the bound NaN.
        if (!(bound > nearest.min - 2 * margin) || slot < 0 || !accepts(slot)) continue
        rows.push(row)
        bounds.push(bound)
        nearest.add(slot, bound)
      }
    })
    return rows.filter((_, i) => bounds[i]! > nearest.min - 2 * margin)
  }

  #cosine(probe: Probe, row: number): number {
    return dot(probe, this.#table.rows, row * this.dimensions) / this.#lengths[row]!
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
      const rows = this.#rowsAt(slot).filter((row) => this.#lengths[row]! > 0)
      const weight = Math.min(1, MAX_WEIGHT / rows.length)
      for (const row of rows) {
        const [at, scale] = [row * this.dimensions, weight / this.#lengths[row]!]
        for (let i = 0; i < mean.length; i++) mean[i]! += this.#table.rows[at + i]! * scale
        count += weight
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
      productsWith(mean, away, this.#table.rows, row * this.dimensions, products)
      const scale = 1 / this.#lengths[row]!
      const squares = 1 - 2 * scale * products[0]! + ofMean
      return squares <= 0 ? 0 : (scale * products[1]! - ofBoth) / (Math.sqrt(squares) * length)
    }
  }

  #reserve(row: number): void {
    this.#table.reserve(row + 1)
    if (row < this.#lengths.length) return
    const lengths = new Float32Array(Math.max(row + 1, Math.ceil(this.#lengths.length * ROOM)))
    lengths.set(this.#lengths)
    this.#lengths = lengths
  }
}

/** The greatest upper bounds of cosines, one for each of the best `limit` slots. */
class NearestBounds {
  /** The smallest of the bounds; 0 while there are fewer than `limit`. */
  min = 0
  readonly #limit: number
  readonly #slots: number[] = []
  readonly #bounds: number[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  add(slot: number, bound: number): void {
    const known = this.#slots.indexOf(slot)
    if (known >= 0) this.#bounds[known] = Math.max(this.#bounds[known]!, bound)
    else if (this.#slots.length < this.#limit) {
      this.#slots.push(slot)
      this.#bounds.push(bound)
    } else if (bound > this.min) {
      const worst = this.#bounds.indexOf(this.min)
      this.#slots[worst] = slot
      this.#bounds[worst] = bound
    }
    if (this.#slots.length < this.#limit) return
    this.min = this.#bounds[0]!
    for (const each of this.#bounds) if (each < this.min) this.min = each
  }
}

/** The rows of an image: those of slot i are [ends[i], ends[i + 1]). */
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

/** The sentences of a text, which get a vector each; the passages of a text of more than MAX_SENTENCES. */
function sentences(text: string, passages: readonly TextWindow[]): string[] {
  const windows = sentencesOf(text)
  const found = windows.length > MAX_SENTENCES ? passages : windows
  return found.map(({ start, end }) => text.slice(start, end).trim())
}

/** Concatenated i8 rows, and the squares of their lengths, which are expensive to compute. */
export type QuantizedRows = { readonly rows: Int8Array; readonly squares: ArrayLike<number> }

/** Embeds the texts; the result has one row per text. */
export async function embedTexts(embedder: EntryEmbedder, texts: readonly string[]): Promise<QuantizedRows> {
  const { dimensions } = embedder.space
  const vectors = await embedder.embedChunks(texts.map((text) => ({ text, names: [], path: "" })))
  const rows = toScanRows(vectors, dimensions)
  const squares = texts.map((_, i) => Math.round(lengthOf(rows, i * dimensions, dimensions) ** 2))
  return { rows, squares }
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

/** Number of rows for which an empty table has room. */
const MIN_ROWS = 64
/** Max error of a bound by the rounding of single-precision numbers. */
const ROUNDING = 1e-6

const PASSAGES_PER_STRETCH = 3
const MAX_SENTENCES = 24
/** Growth factor of the lengths. */
const ROOM = 1.5
/** Added to the number of rows when the mean is weighed: with this many rows the mean has half of its full weight. */
const MEAN_PRIOR = 10
/** Max rows as which an entry counts in the mean, which would otherwise be that of the longest document. */
const MAX_WEIGHT = 4

/** An entry without vectors in the configured space, and the parts of its text that get one each. */
export type UnembeddedEntry = {
  readonly id: string
  readonly text: string
  readonly stretches: readonly string[]
}

type EntryEmbedder = Pick<Embedder, "space" | "embedChunks">

/** Vectors of an entry, computed from its text. */
export type EmbeddedEntry = { readonly id: string; readonly text: string; readonly blob: Uint8Array }

/** Embeds entries. */
export async function embedAll(
  embedder: EntryEmbedder,
  entries: readonly UnembeddedEntry[],
): Promise<EmbeddedEntry[]> {
  const { rows } = await embedTexts(
    embedder,
    entries.flatMap(({ stretches }) => stretches),
  )
  let at = 0
  return entries.map(({ id, text, stretches }) => {
    const from = at
    at += stretches.length * embedder.space.dimensions
    return { id, text, blob: new Uint8Array(rows.slice(from, at).buffer) }
  })
}

/** The entries' vectors in the configured space. It is used for ranking once every entry has vectors in it. */
export class ConfiguredSpaceVectors {
  readonly space: EmbeddingSpace
  readonly weights: Weights
  readonly vectors: Vectors
  readonly #corpus: Corpus
  readonly #slots = new Set<number>()

  constructor(space: EmbeddingSpace, corpus: Corpus) {
    this.space = space
    this.weights = weightsFor(space)
    this.vectors = new Vectors(space.dimensions)
    this.#corpus = corpus
  }

  /** Number of entries that have vectors. */
  get size(): number {
    return this.#slots.size
  }

  get isWhole(): boolean {
    return this.size === this.#corpus.size
  }

  /** Adds the vectors of an entry. Does nothing when the entry is gone or its text is no longer `text`. */
  add(id: string, blob: Uint8Array, text?: string): void {
    const slot = this.#corpus.slotOf(id)
    if (slot < 0 || (text !== undefined && text !== this.#corpus.at(slot)!.document.text)) return
    const { dimensions } = this.space
    if (blob.length % dimensions !== 0) return
    this.drop(slot)
    this.vectors.add(slot, decodeRows(blob, dimensions))
    this.#slots.add(slot)
  }

  drop(slot: number): void {
    if (this.#slots.delete(slot)) this.vectors.remove(slot)
  }

  /** Ids of the entries that have no vectors yet. */
  missing(): string[] {
    if (this.isWhole) return []
    return this.#corpus.slots().flatMap((slot) => (this.#slots.has(slot) ? [] : this.#corpus.idAt(slot)))
  }

  /** Entries that have no vectors yet, at most `limit` of them. */
  without(limit: number): UnembeddedEntry[] {
    const ids = this.missing().slice(0, limit)
    return ids.map((id) => {
      const { document, windows } = this.#corpus.at(this.#corpus.slotOf(id))!
      const split = isSameSpace(this.space, sentenceEncoder.space) ? sentences : stretches
      return { id, text: document.text, stretches: split(document.text, windows) }
    })
  }
}

function decodeRows(blob: Uint8Array, dimensions: number): QuantizedRows {
  const rows = new Int8Array(blob.buffer, blob.byteOffset, blob.length)
  const squares = new Float64Array(rows.length / dimensions)
  for (let i = 0; i < squares.length; i++)
    squares[i] = Math.round(lengthOf(rows, i * dimensions, dimensions) ** 2)
  return { rows, squares }
}
