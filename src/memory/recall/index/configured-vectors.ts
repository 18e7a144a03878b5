import type { EmbeddingSpace } from "../../../embed/port.ts"
import { lengthOf } from "../../../vector/rows.ts"
import { type Weights, weightsFor } from "../weights.ts"
import type { Corpus } from "./corpus.ts"
import { type QuantizedRows, stretches, Vectors } from "./vectors.ts"

/** An entry without vectors in the configured space, and the parts of its text to embed. */
export type UnembeddedEntry = {
  readonly id: string
  readonly text: string
  readonly stretches: readonly string[]
}

/**
 * The entries' vectors in the configured space. It is used for ranking once every entry has vectors in it.
 */
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
    const slot = this.#corpus.slots.get(id)
    if (slot === undefined || (text !== undefined && text !== this.#corpus.at(slot)!.document.text)) return
    const { dimensions } = this.space
    if (blob.length % dimensions !== 0) return
    this.drop(slot)
    this.vectors.add(slot, decodeRows(blob, dimensions))
    this.#slots.add(slot)
  }

  drop(slot: number): void {
    if (this.#slots.delete(slot)) this.vectors.remove(slot)
  }

  /** Entries that have no vectors yet, at most `limit` of them. */
  without(limit: number): UnembeddedEntry[] {
    const found: UnembeddedEntry[] = []
    if (this.isWhole) return found
    for (const [id, slot] of this.#corpus.slots) {
      if (this.#slots.has(slot)) continue
      const { document, windows } = this.#corpus.at(slot)!
      found.push({ id, text: document.text, stretches: stretches(document.text, windows) })
      if (found.length >= limit) break
    }
    return found
  }
}

function decodeRows(blob: Uint8Array, dimensions: number): QuantizedRows {
  const rows = new Int8Array(blob.buffer, blob.byteOffset, blob.length)
  const squares = Array.from({ length: rows.length / dimensions }, (_, i) =>
    Math.round(lengthOf(rows, i * dimensions, dimensions) ** 2),
  )
  return { rows, squares }
}
