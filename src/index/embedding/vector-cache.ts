import type { EmbeddingSpace } from "../../embed/port.ts"
import { type CachedVector, EmbeddingCache } from "../../store/cache/embedding-cache.ts"
import { isDamage } from "../../store/sqlite-error.ts"

/** Cache of vectors. When it cannot be used, indexing continues without it, and `failure` returns the reason. */
export type VectorCache = {
  readonly failure: () => string | null
  readonly get: (space: EmbeddingSpace, hashes: readonly Uint8Array[]) => readonly (Uint8Array | null)[]
  readonly put: (space: EmbeddingSpace, vectors: readonly CachedVector[]) => void
  readonly [Symbol.dispose]: () => void
}

/**
 * Returns a cache that is opened at its first use. A damaged cache is deleted and created again once; `onDamage` is
 * then called. Any other error, or a second damage, disables the cache.
 */
export function openVectorCache(path: string, now: () => number, onDamage: () => void): VectorCache {
  let cache: EmbeddingCache | null = null
  let failure: string | null = null
  let isNew = false
  const attempt = <T>(act: (cache: EmbeddingCache) => T, otherwise: T): T => {
    if (failure !== null) return otherwise
    try {
      cache ??= isNew ? EmbeddingCache.openNew(path, { now }) : EmbeddingCache.open(path, { now })
      return act(cache)
    } catch (error) {
      cache?.close()
      cache = null
      if (isDamage(error) && !isNew) {
        isNew = true
        onDamage()
        return attempt(act, otherwise)
      }
      failure = `vectors are not kept for other work trees: ${error instanceof Error ? error.message : error}`
      return otherwise
    }
  }
  return {
    failure: () => failure,
    get: (space, hashes) =>
      attempt(
        (open) => open.get(space, hashes),
        hashes.map(() => null),
      ),
    put: (space, vectors) => {
      if (vectors.length > 0) attempt((open) => open.put(space, vectors), undefined)
    },
    [Symbol.dispose]: () => cache?.close(),
  }
}
