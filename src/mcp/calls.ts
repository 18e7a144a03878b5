// Clients kill a server some seconds after they close it; answers under way get less than that.
const SETTLE_MS = 1500

/** The calls under way in this process: they are answered before it ends. */
export class Calls {
  readonly #open = new Set<Promise<unknown>>()

  async track<T>(call: Promise<T>): Promise<T> {
    this.#open.add(call)
    try {
      return await call
    } finally {
      this.#open.delete(call)
    }
  }

  /** Waits, for a moment, until every call that has arrived is answered. */
  async settle(): Promise<void> {
    await Bun.sleep(0)
    await Promise.race([Promise.allSettled(this.#open), Bun.sleep(SETTLE_MS)])
    // The answers themselves are written in the ticks after that.
    await Bun.sleep(0)
  }
}
