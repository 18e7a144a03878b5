/** Keeps count of promises that have not settled yet. */
export class InFlight {
  readonly #open = new Set<Promise<unknown>>()

  get count(): number {
    return this.#open.size
  }

  /** Returns the result of the promise, and counts the promise until it settles. */
  async track<T>(promise: Promise<T>): Promise<T> {
    this.#open.add(promise)
    try {
      return await promise
    } finally {
      this.#open.delete(promise)
    }
  }

  /** Resolves when all promises that are tracked at the time of the call have settled. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#open)
  }
}
