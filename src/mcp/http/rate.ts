import { LRUCache } from "lru-cache"

// Who asks with ever new names only forgets his own old ones.
const MOST_NAMES = 10_000
const BURST = 4

/** So many requests a second for each name, and four times as many at once. */
export class Rate {
  readonly #perSecond: number
  readonly #buckets = new LRUCache<string, { left: number; at: number }>({ max: MOST_NAMES })

  /** 0: any number. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** Whether one more is allowed; `now` in milliseconds. */
  takes(name: string, now: number): boolean {
    if (this.#perSecond === 0) return true
    const most = this.#perSecond * BURST
    const bucket = this.#buckets.get(name) ?? { left: most, at: now }
    bucket.left = Math.min(most, bucket.left + ((now - bucket.at) / 1000) * this.#perSecond)
    bucket.at = now
    this.#buckets.set(name, bucket)
    if (bucket.left < 1) return false
    bucket.left--
    return true
  }
}
