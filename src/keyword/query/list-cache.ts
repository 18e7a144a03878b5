import { byteLength, copyList, type VariantList } from "../format/posting-lists.ts"

type CachedLists = { readonly lists: Map<string, VariantList>; bytes: number }

/**
 * Caches the posting lists of the most frequent query words, up to `maxBytes`. In a large index, reading postings takes
 * half of the time of a query, mostly for a few common words. The least used list is evicted first, but never in favour
 * of a word that is used less often. The lists are held by weak references, so that a garbage collection in an idle
 * process frees them all; reading them again costs the next queries half a millisecond.
 */
export class ListCache {
  #cached = new WeakRef<CachedLists>({ lists: new Map(), bytes: 0 })
  /** Number of recent requests for each key. All numbers are halved when there are too many keys. */
  readonly #uses = new Map<string, number>()
  readonly #maxBytes: number

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  get(key: string): VariantList | undefined {
    this.#uses.set(key, this.#usesOf(key) + 1)
    if (this.#uses.size > MAX_KEYS) this.#forgetHalf()
    return this.#cached.deref()?.lists.get(key)
  }

  /**
   * Caches a copy of the list, if the list is large enough and is used more often than the lists that would be evicted
   * for it.
   */
  offer(key: string, list: VariantList): void {
    const bytes = byteLength(list)
    if (list.end - list.start < MIN_CACHED_FILES || bytes > this.#maxBytes) return
    let cached = this.#cached.deref()
    if (cached === undefined) {
      cached = { lists: new Map(), bytes: 0 }
      this.#cached = new WeakRef(cached)
    }
    while (cached.bytes + bytes > this.#maxBytes) {
      const leastUsed = this.#leastUsed(cached)
      if (this.#usesOf(leastUsed) >= this.#usesOf(key)) return
      cached.bytes -= byteLength(cached.lists.get(leastUsed)!)
      cached.lists.delete(leastUsed)
    }
    cached.lists.set(key, copyList(list))
    cached.bytes += bytes
  }

  #usesOf(key: string): number {
    return this.#uses.get(key) ?? 0
  }

  #leastUsed({ lists }: CachedLists): string {
    let leastUsed = ""
    let uses = Number.POSITIVE_INFINITY
    for (const key of lists.keys()) {
      if (this.#usesOf(key) >= uses) continue
      leastUsed = key
      uses = this.#usesOf(key)
    }
    return leastUsed
  }

  #forgetHalf(): void {
    for (const [key, uses] of this.#uses) {
      if (uses > 1) this.#uses.set(key, uses >> 1)
      else this.#uses.delete(key)
    }
  }
}

const MAX_BYTES = 12 << 20
const MAX_KEYS = 4_096
/** Minimum number of files in a list that is cached. Reading a shorter list again takes 5 µs. */
const MIN_CACHED_FILES = 256
