import type { Asked } from "../repositories/search-parts.ts"

/** Searches between their two steps. One whose second step is not asked for is ended after some time. */
export class HalfDoneSearches {
  readonly #keptMs: number
  readonly #onEnd: () => void
  readonly #searches = new Map<string, { asked: readonly Asked[]; timer: ReturnType<typeof setTimeout> }>()

  /** `onEnd` is called once for each search. */
  constructor(keptMs: number, onEnd: () => void) {
    this.#keptMs = keptMs
    this.#onEnd = onEnd
  }

  set(question: string, asked: readonly Asked[]): void {
    this.#searches.set(question, { asked, timer: setTimeout(() => this.end(question), this.#keptMs) })
  }

  /** Empty if there is no such search any more. */
  get(question: string): readonly Asked[] {
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
