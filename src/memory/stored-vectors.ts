import type { EmbeddingSpace } from "../embed/port.ts"
import type { KnowledgeStore } from "../store/memory/knowledge-store.ts"
import { textHash } from "./entries/entry-rows.ts"
import { ANALYSIS_VERSION } from "./recall/index/analyse.ts"

/** An entry's vectors and the text they were computed from. */
export type TextVectors = { readonly id: string; readonly text: string; readonly blob: Uint8Array }

/** Stored vectors of entries in the configured space; the store holds one such space at a time. */
export class StoredVectors {
  readonly #store: KnowledgeStore

  constructor(store: KnowledgeStore) {
    this.#store = store
  }

  /** The stored space; null when there is none, or when its texts were split by another ANALYSIS_VERSION. */
  space(): EmbeddingSpace | null {
    const body = this.#store.vectors.space()
    if (body === null) return null
    const { cut, ...space } = JSON.parse(body)
    return cut === ANALYSIS_VERSION ? space : null
  }

  /** Makes `space` the stored space; vectors of any other space are removed. */
  enter(space: EmbeddingSpace): void {
    this.#store.transaction(() => {
      if (this.#store.vectors.space() !== spaceKey(space)) this.#store.vectors.enter(spaceKey(space))
    })
  }

  /** Stores the vectors. False, and nothing is stored, if another process has meanwhile set another embedding space. */
  keep(space: EmbeddingSpace, vectors: readonly TextVectors[]): boolean {
    return this.#store.transaction(() => {
      if (this.#store.vectors.space() !== spaceKey(space)) return false
      for (const { id, text, blob } of vectors)
        this.#store.vectors.put({ entry: id, textHash: textHash(text), blob })
      return true
    })
  }

  /** Vectors by entry id, only of entries whose text has not changed since. */
  of(ids: readonly string[]): ReadonlyMap<string, Uint8Array> {
    return new Map(this.#store.vectors.of(ids).map(({ entry, blob }) => [entry, blob]))
  }

  /** Number of entries with vectors in the stored space. */
  count(): number {
    return this.space() === null ? 0 : this.#store.vectors.count()
  }
}

function spaceKey({ provider, model, dimensions, version }: EmbeddingSpace): string {
  return JSON.stringify({ provider, model, dimensions, version, cut: ANALYSIS_VERSION })
}
