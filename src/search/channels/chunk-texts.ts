import { LRUCache } from "lru-cache"
import type { ChunkHit } from "../../keyword/port.ts"
import type { Store } from "../../store/index/store.ts"
import type { LineRange } from "../../text/files/read-source.ts"
import { CHUNK_KEY_STRIDE, type ChunkKey } from "../../vector/port.ts"

type IndexedFile = { readonly id: number; readonly path: string }
type ChunkLines = Pick<ChunkHit, "ordinal" | "startLine" | "endLine">

/**
 * Reads ranges of lines of an indexed file, in ascending order of their first lines; null if the file cannot be read or
 * has changed since it was indexed.
 */
export type ReadLines = (file: IndexedFile, ranges: readonly LineRange[]) => readonly string[] | null

/** The texts of some chunks of a file, in the given order; null if the file cannot be read. */
export type ReadChunks = (file: IndexedFile, chunks: readonly ChunkLines[]) => readonly string[] | null

/** Maximum number of characters that are cached of one index. A question compares some 100,000. */
const MAX_CACHED = 2_000_000
/** A longer chunk is not cached. */
const MAX_OF_CHUNK = 16_000

/**
 * Texts of chunks by key. The questions of a session are about the same part of a project, and reading files takes longer
 * than comparing their words. An entry cannot become outdated, because a changed file gets a new id. The cache is
 * released together with the store of its index.
 */
const caches = new WeakMap<Store, LRUCache<ChunkKey, string>>()

/** Returns a function that takes the texts of chunks from the cache, or else reads them. */
export function chunkReader(store: Store, readLines: ReadLines): ReadChunks {
  const known = caches.get(store) ?? new LRUCache<ChunkKey, string>({ maxSize: MAX_CACHED })
  caches.set(store, known)
  return (file, chunks) => {
    const first = file.id * CHUNK_KEY_STRIDE
    const texts = new Map<number, string>()
    const unread: ChunkLines[] = []
    for (const chunk of chunks) {
      const text = known.get(first + chunk.ordinal)
      if (text === undefined) unread.push(chunk)
      else texts.set(chunk.ordinal, text)
    }
    if (unread.length > 0) {
      unread.sort((one, other) => one.ordinal - other.ordinal)
      const ranges = unread.map(({ startLine, endLine }) => ({ first: startLine, last: endLine }))
      const read = readLines(file, ranges)
      if (read === null) return null
      for (const [at, { ordinal }] of unread.entries()) {
        const text = read[at]!
        texts.set(ordinal, text)
        if (text.length <= MAX_OF_CHUNK) known.set(first + ordinal, text, { size: text.length + 1 })
      }
    }
    return chunks.map(({ ordinal }) => texts.get(ordinal)!)
  }
}
