import { byteLength, copyLists, type TermLists } from "./posting-lists.ts"

/**
 * The lists of the words that questions have most often, within bounds: reading postings is half of what a query of
 * a large index costs, and most of it is for a few common words. The least used goes first; a word that was asked for
 * less often does not drive out another.
 */
export class ListCache {
  readonly #lists = new Map<string, TermLists>()
  /** How often each was asked for, of late. */
  readonly #uses = new Map<string, number>()
  readonly #mostBytes: number
  #bytes = 0

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes
  }

  get(key: string): TermLists | undefined {
    this.#uses.set(key, this.#usesOf(key) + 1)
    if (this.#uses.size > MOST_KNOWN) this.#forgetHalf()
    return this.#lists.get(key)
  }

  /** Copies them, if they are worth it. */
  offer(key: string, lists: TermLists): void {
    const bytes = byteLength(lists)
    if (lists.all.end - lists.all.start < FEW_FILES || bytes > this.#mostBytes) return
    while (this.#bytes + bytes > this.#mostBytes) {
      const least = this.#leastUsed()
      if (this.#usesOf(least) >= this.#usesOf(key)) return
      this.#bytes -= byteLength(this.#lists.get(least)!)
      this.#lists.delete(least)
    }
    this.#lists.set(key, copyLists(lists))
    this.#bytes += bytes
  }

  #usesOf(key: string): number {
    return this.#uses.get(key) ?? 0
  }

  #leastUsed(): string {
    let least = ""
    let uses = Number.POSITIVE_INFINITY
    for (const key of this.#lists.keys()) {
      if (this.#usesOf(key) >= uses) continue
      least = key
      uses = this.#usesOf(key)
    }
    return least
  }

  #forgetHalf(): void {
    for (const [key, uses] of this.#uses) {
      if (uses > 1) this.#uses.set(key, uses >> 1)
      else this.#uses.delete(key)
    }
  }
}

const MOST_BYTES = 6 << 20
const MOST_KNOWN = 4_096
/** So few are read again in 5 µs. */
const FEW_FILES = 256
