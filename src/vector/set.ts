import type { SpaceRow } from "../store/index/spaces.ts"
import type { Store } from "../store/index/store.ts"
import { ExactIndex, nearestFirst, type RowFilter } from "./exact/exact.ts"
import { openBase } from "./files/base.ts"
import { deltaTable } from "./files/delta.ts"
import {
  CHUNK_KEY_STRIDE,
  type ChunkKey,
  type ChunkScorer,
  type VectorHit,
  type VectorIndex,
} from "./port.ts"

/**
 * Opens the committed vectors of one space: base and deltas, without removed files. A base that is missing or damaged
 * is left out; `isComplete` is then false.
 */
export function openVectors(store: Store, folder: string, space: SpaceRow): VectorSet {
  const { parts, deltas, dead } = store.consistently(() => ({
    parts: store.derived.of("vectors", space.id),
    deltas: store.vectors.all(space.id),
    dead: store.tombstones.all("vectors", space.id),
  }))
  const base = parts.length === 0 ? null : openBase(folder, parts, space.dimensions)
  const delta = new ExactIndex(deltaTable(deltas, space.dimensions))
  // The delta of a file replaces all vectors that the base has for the file.
  const hidden = new Set([...dead, ...deltas.map((row) => row.fileId)])
  return new VectorSet(base, delta, hidden, parts.length === 0 || base !== null)
}

/** Searches base and deltas as one index, without removed files. */
export class VectorSet implements VectorIndex {
  /** False if the base could not be used although there should be one, so that it must be made again. */
  readonly isComplete: boolean
  readonly #base: VectorIndex | null
  readonly #delta: VectorIndex
  /** Ids of the files whose vectors in the base are ignored. */
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

  /** Number of vectors. Those of removed files count until the next merge. */
  get size(): number {
    return (this.#base?.size ?? 0) + this.#delta.size
  }

  search(query: Float32Array, limit: number, accept?: RowFilter): VectorHit[] {
    const visible = this.#visible(accept)
    const near = this.#delta.search(query, limit, accept)
    if (this.#base === null) return near
    const far = this.#base.search(query, limit, visible)
    return near.length === 0 ? far : [...near, ...far].sort(nearestFirst).slice(0, limit)
  }

  get(key: ChunkKey): Float32Array | null {
    return this.#delta.get(key) ?? (this.#isHidden(key) ? null : (this.#base?.get(key) ?? null))
  }

  scorer(query: Float32Array): ChunkScorer {
    const near = this.#delta.size === 0 ? null : this.#delta.scorer(query)
    const far = this.#base?.scorer(query) ?? (() => 0)
    return (key, last) => (this.#isHidden(key) ? (near?.(key, last) ?? 0) : far(key, last))
  }

  [Symbol.dispose](): void {
    this.#base?.[Symbol.dispose]()
    this.#delta[Symbol.dispose]()
  }

  #visible(accept: RowFilter | undefined): RowFilter | undefined {
    if (this.#hidden.size === 0) return accept
    if (accept === undefined) return (key) => !this.#isHidden(key)
    return (key) => !this.#isHidden(key) && accept(key)
  }

  #isHidden(key: ChunkKey): boolean {
    return this.#hidden.has(Math.floor(key / CHUNK_KEY_STRIDE))
  }
}
