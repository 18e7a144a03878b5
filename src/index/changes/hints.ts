/**
 * Paths, relative to the root, that may have changed, or "everything". Only reading the files shows what has really
 * changed.
 */
export type Hints = ReadonlySet<string> | "everything"

// Above this many paths, checking them one by one takes longer than a full scan.
const MAX_PATHS = 500

/** Gathers the paths of events until the next scan. Several events of a path are one hint. */
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

  /** Number of paths; null when anything may have changed. */
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
