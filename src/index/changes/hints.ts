/**
 * Paths, relative to the root, of files that may have changed, or "everything". Hints are not certain: only reading a
 * file shows whether it has changed.
 */
export type Hints = ReadonlySet<string> | "everything"

// With more paths than this, a full scan is faster than checking the paths one by one.
const MAX_PATHS = 500

/** Collects the paths of file events until the next scan. Several events for one path count once. */
export class GatheredHints {
  #paths = new Set<string>()
  #isEverything = false

  add(path: string): void {
    if (this.#isEverything) return
    this.#paths.add(path)
    if (this.#paths.size > MAX_PATHS) this.addEverything()
  }

  addEverything(): void {
    this.#isEverything = true
    this.#paths.clear()
  }

  /** Number of collected paths; null when any file may have changed. */
  get size(): number | null {
    return this.#isEverything ? null : this.#paths.size
  }

  take(): Hints {
    const taken = this.#isEverything ? "everything" : this.#paths
    this.#paths = new Set()
    this.#isEverything = false
    return taken
  }
}
