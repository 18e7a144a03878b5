import type { VectorIndex } from "../vector/port.ts"
import type { OtherSource } from "./sources.ts"

/**
 * What one state of an index has of vectors. A search waits for the query's vector, and another one may find a newer
 * state meanwhile: what that replaces is closed once nobody reads from it any more.
 */
export class VectorSources implements Disposable {
  readonly builtIn: VectorIndex | null
  readonly other: (OtherSource & Disposable) | null
  /** Whoever opened it is the first. */
  #users = 1

  constructor(builtIn: VectorIndex | null, other: (OtherSource & Disposable) | null) {
    this.builtIn = builtIn
    this.other = other
  }

  /** For one more, who disposes of it, too. */
  lend(): this {
    this.#users++
    return this
  }

  [Symbol.dispose](): void {
    this.#users--
    if (this.#users > 0) return
    this.builtIn?.[Symbol.dispose]()
    this.other?.[Symbol.dispose]()
  }
}
