// Clients kill a server some seconds after they close it; answers under way get less than that.
const SETTLE_MS = 1500
/** So long after the last call others' indexes are closed as well (app/repos/serve.ts). */
const REST_MS = 60_000

/** The calls under way in this process: they are answered before it ends. */
export class Calls {
  readonly #open = new Set<Promise<unknown>>()
  readonly #onRest: () => void
  #rest: ReturnType<typeof setTimeout> | null = null

  /** `onRest`: nobody has asked for anything for a minute. */
  constructor(onRest: () => void) {
    this.#onRest = onRest
  }

  async track<T>(call: Promise<T>): Promise<T> {
    this.#open.add(call)
    if (this.#rest !== null) clearTimeout(this.#rest)
    try {
      return await call
    } finally {
      this.#open.delete(call)
      this.#restLater()
    }
  }

  /** Waits, for a moment, until every call that has arrived is answered. */
  async settle(): Promise<void> {
    await Bun.sleep(0)
    await Promise.race([Promise.allSettled(this.#open), Bun.sleep(SETTLE_MS)])
    // The answers themselves are written in the ticks after that.
    await Bun.sleep(0)
  }

  #restLater(): void {
    if (this.#open.size > 0) return
    if (this.#rest !== null) clearTimeout(this.#rest)
    this.#rest = setTimeout(this.#onRest, REST_MS)
    this.#rest.unref()
  }
}
