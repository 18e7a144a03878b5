import type { RepositorySearch } from "../../../src/app/repositories/search.ts"

/**
 * Searches whose first step was made and whose second was not. A search ends after `keptMs` if the second step is not
 * requested.
 */
export class HalfDoneSearches {
  readonly #keptMs: number
  readonly #onEnd: () => void
  readonly #searches = new Map<
    string,
    { asked: readonly RepositorySearch[]; timer: ReturnType<typeof setTimeout> }
  >()

  /** `onEnd` is called once for each search, when it ends. */
  constructor(keptMs: number, onEnd: () => void) {
    this.#keptMs = keptMs
    this.#onEnd = onEnd
  }

  set(question: string, asked: readonly RepositorySearch[]): void {
    this.#searches.set(question, { asked, timer: setTimeout(() => this.end(question), this.#keptMs) })
  }

  /** The repositories of a search that waits for its second step; empty if the search has ended or never existed. */
  get(question: string): readonly RepositorySearch[] {
    return this.#searches.get(question)?.asked ?? []
  }

  end(question: string): void {
    const search = this.#searches.get(question)
    if (search === undefined) return
    clearTimeout(search.timer)
    this.#searches.delete(question)
    this.#onEnd()
  }
}
