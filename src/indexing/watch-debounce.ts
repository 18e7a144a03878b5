// Of the longest wait: 50 ms of 500.
const LONE_SHARE = 10
// A stream of changes that never rests is looked at as often as every ten seconds.
const MOST_WAITS = 20

/**
 * When a burst of events is over. A lone event waits a tenth of `longestMs`; the longer a burst has lasted, the
 * longer it has to rest. Times in milliseconds, of any one clock.
 */
export class Debounce {
  readonly #longestMs: number
  #firstMs: number | null = null
  #lastMs = 0

  constructor(longestMs: number) {
    this.#longestMs = longestMs
  }

  note(nowMs: number): void {
    this.#firstMs ??= nowMs
    this.#lastMs = nowMs
  }

  /** Null while nothing waits. */
  get dueMs(): number | null {
    if (this.#firstMs === null) return null
    const restMs = Math.max(this.#longestMs / LONE_SHARE, this.#lastMs - this.#firstMs)
    const over = this.#lastMs + Math.min(this.#longestMs, restMs)
    return Math.min(over, this.#firstMs + MOST_WAITS * this.#longestMs)
  }

  clear(): void {
    this.#firstMs = null
  }
}
