import type { SpaceRow } from "../store/spaces.ts"
import type { Store } from "../store/store.ts"
import { openBase } from "./base.ts"
import { deltaTable } from "./delta.ts"
import { type Accept, ExactIndex, nearestFirst } from "./exact.ts"
import { CHUNK_KEY_STRIDE, type ChunkKey, type Scorer, type VectorHit, type VectorIndex } from "./port.ts"

/**
 * The vectors of one space as they are committed now: base and deltas, less the files that are gone. A base that
 * is missing or damaged is left out; `isComplete` tells whether there was one to leave out.
 */
export function openVectors(store: Store, folder: string, space: SpaceRow): VectorSet {
  const { parts, deltas, dead } = store.consistently(() => ({
    parts: store.derived.of("vectors", space.id),
    deltas: store.vectors.all(space.id),
    dead: store.tombstones.all("vectors", space.id),
  }))
  const base = parts.length === 0 ? null : openBase(folder, parts, space.dimensions)
  const delta = new ExactIndex(deltaTable(deltas, space.dimensions))
  // What a delta has of a file stands for all of it.
  const hidden = new Set([...dead, ...deltas.map((row) => row.fileId)])
  return new VectorSet(base, delta, hidden, parts.length === 0 || base !== null)
}

/** Base, deltas and tombstones as one index. */
export class VectorSet implements VectorIndex {
  /** False where a base should be there and could not be used: it is to be built again. */
  readonly isComplete: boolean
  readonly #base: VectorIndex | null
  readonly #delta: VectorIndex
  /** Files of the base that do not answer. */
  readonly #hidden: ReadonlySet<number>

  constructor(
    base: VectorIndex | null,
    delta: VectorIndex,
    hidden: ReadonlySet<number>,
    isComplete: boolean,
  ) {
    this.#base = base
    this.#delta = delta
    this.#hidden = hidden
    this.isComplete = isComplete
  }

  /** Vectors of files that are gone count until they are folded away. */
  get size(): number {
    return (this.#base?.size ?? 0) + this.#delta.size
  }

  search(query: Float32Array, limit: number, accept?: Accept): VectorHit[] {
    const visible = this.#visible(accept)
    const near = this.#delta.search(query, limit, accept)
    if (this.#base === null) return near
    const far = this.#base.search(query, limit, visible)
    return near.length === 0 ? far : [...near, ...far].sort(nearestFirst).slice(0, limit)
  }

  get(key: ChunkKey): Float32Array | null {
    return this.#delta.get(key) ?? (this.#isHidden(key) ? null : (this.#base?.get(key) ?? null))
  }

  scorer(query: Float32Array): Scorer {
    const near = this.#delta.size === 0 ? null : this.#delta.scorer(query)
    const far = this.#base?.scorer(query) ?? (() => 0)
    return (key, last) => (this.#isHidden(key) ? (near?.(key, last) ?? 0) : far(key, last))
  }

  [Symbol.dispose](): void {
    this.#base?.[Symbol.dispose]()
    this.#delta[Symbol.dispose]()
  }

  #visible(accept: Accept | undefined): Accept | undefined {
    if (this.#hidden.size === 0) return accept
    if (accept === undefined) return (key) => !this.#isHidden(key)
    return (key) => !this.#isHidden(key) && accept(key)
  }

  #isHidden(key: ChunkKey): boolean {
    return this.#hidden.has(Math.floor(key / CHUNK_KEY_STRIDE))
  }
}
