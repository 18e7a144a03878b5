import type { EmbeddingSpace } from "../../embed/port.ts"
import { lengthOf } from "../../vector/cosine.ts"
import type { Corpus } from "./corpus.ts"
import { type KeptRows, stretches, Vectors } from "./vectors.ts"
import { type Weights, weightsFor } from "./weights.ts"

/** An entry without vectors there yet, and the texts that they are to be of. */
export type Unembedded = { readonly id: string; readonly text: string; readonly stretches: readonly string[] }

/** Entries' vectors in a space beside the index's own; it ranks once every entry has its own there. */
export class SecondSpace {
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

  /** Entries that have theirs. */
  get size(): number {
    return this.#slots.size
  }

  get isWhole(): boolean {
    return this.size === this.#corpus.size
  }

  /** Takes in an entry's vectors, of this text; nothing where it has another by now. */
  add(id: string, blob: Uint8Array, text?: string): void {
    const slot = this.#corpus.slots.get(id)
    if (slot === undefined || (text !== undefined && text !== this.#corpus.held(slot)!.document.text)) return
    const { dimensions } = this.space
    if (blob.length % dimensions !== 0) return
    this.drop(slot)
    this.vectors.add(slot, rowsOf(blob, dimensions))
    this.#slots.add(slot)
  }

  drop(slot: number): void {
    if (this.#slots.delete(slot)) this.vectors.remove(slot)
  }

  /** At most so many of those that have none yet. */
  without(limit: number): Unembedded[] {
    const found: Unembedded[] = []
    if (this.isWhole) return found
    for (const [id, slot] of this.#corpus.slots) {
      if (this.#slots.has(slot)) continue
      const { document, windows } = this.#corpus.held(slot)!
      found.push({ id, text: document.text, stretches: stretches(document.text, windows) })
      if (found.length >= limit) break
    }
    return found
  }
}

function rowsOf(blob: Uint8Array, dimensions: number): KeptRows {
  const rows = new Int8Array(blob.buffer, blob.byteOffset, blob.length)
  const squares = Array.from({ length: rows.length / dimensions }, (_, i) =>
    Math.round(lengthOf(rows, i * dimensions, dimensions) ** 2),
  )
  return { rows, squares }
}
