import type { EmbeddingSpace } from "../embed/port.ts"
import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import { textHash } from "./entry-rows.ts"
import { ANALYSIS_VERSION } from "./recall/analyse.ts"

/** An entry's vectors, as they were computed of that text. */
export type TextVectors = { readonly id: string; readonly text: string; readonly blob: Uint8Array }

/** Entries' vectors in a space beside the built-in one, from process to process; of one space at a time. */
export class KeptVectors {
  readonly #store: KnowledgeStore

  constructor(store: KnowledgeStore) {
    this.#store = store
  }

  /** Null where there is none, or where texts were cut otherwise then. */
  space(): EmbeddingSpace | null {
    const body = this.#store.vectors.space()
    if (body === null) return null
    const { cut, ...space } = JSON.parse(body)
    return cut === ANALYSIS_VERSION ? space : null
  }

  /** What is of another space is forgotten. */
  enter(space: EmbeddingSpace): void {
    this.#store.transaction(() => {
      if (this.#store.vectors.space() !== bodyOf(space)) this.#store.vectors.enter(bodyOf(space))
    })
  }

  /** False where another process has entered another space. */
  keep(space: EmbeddingSpace, vectors: readonly TextVectors[]): boolean {
    return this.#store.transaction(() => {
      if (this.#store.vectors.space() !== bodyOf(space)) return false
      for (const { id, text, blob } of vectors)
        this.#store.vectors.put({ entry: id, textHash: textHash(text), blob })
      return true
    })
  }

  /** By id, of those whose text is the same still. */
  of(ids: readonly string[]): ReadonlyMap<string, Uint8Array> {
    return new Map(this.#store.vectors.of(ids).map(({ entry, blob }) => [entry, blob]))
  }

  /** Entries that have theirs. */
  count(): number {
    return this.space() === null ? 0 : this.#store.vectors.count()
  }
}

function bodyOf({ provider, model, dimensions, version }: EmbeddingSpace): string {
  return JSON.stringify({ provider, model, dimensions, version, cut: ANALYSIS_VERSION })
}
