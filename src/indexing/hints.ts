/** Where something may have changed: paths relative to the root, or anywhere. What is there decides what did. */
export type Hints = ReadonlySet<string> | "everything"

// Looking at so many one by one takes longer than looking at all.
const MOST_PATHS = 500

/** Gathers what events name until somebody looks. Several events of a path are one hint. */
export class GatheredHints {
  #paths = new Set<string>()
  #isEverything = false

  add(path: string): void {
    if (this.#isEverything) return
    this.#paths.add(path)
    if (this.#paths.size > MOST_PATHS) this.addEverything()
  }

  addEverything(): void {
    this.#isEverything = true
    this.#paths.clear()
  }

  /** How many paths; null where it may be anywhere. */
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
