// Clients kill a server some seconds after closing it; running calls get less time than that.
const SETTLE_MS = 1500
/** An agent's next call usually comes within this time. */
const PAUSE_MS = 1_000
/**
 * After this time without a call, indexes of other repositories are closed, too (app/repositories/serve.ts).
 */
const REST_MS = 60_000

type Rests = {
  /** Called when all calls are answered and no other has arrived. */
  readonly onAnswered: () => void
  /** Called after a second without calls. */
  readonly onPause: () => void
  /** Called after a minute without calls. */
  readonly onRest: () => void
}

/** Tracks the running calls of this process, so that they are answered before it ends. */
export class Calls {
  readonly #open = new Set<Promise<unknown>>()
  readonly #rests: Rests
  #timers: ReturnType<typeof setTimeout>[] = []

  constructor(rests: Rests) {
    this.#rests = rests
  }

  async track<T>(call: Promise<T>): Promise<T> {
    this.#open.add(call)
    this.#stop()
    try {
      return await call
    } finally {
      this.#open.delete(call)
      this.#restLater()
    }
  }

  /** Waits until every call that has arrived is answered, at most SETTLE_MS. */
  async settle(): Promise<void> {
    await Bun.sleep(0)
    await Promise.race([Promise.allSettled(this.#open), Bun.sleep(SETTLE_MS)])
    // Lets the answers be written, which takes another tick.
    await Bun.sleep(0)
  }

  #restLater(): void {
    if (this.#open.size > 0) return
    this.#stop()
    const { onAnswered, onPause, onRest } = this.#rests
    this.#timers = [setTimeout(onAnswered, 0), setTimeout(onPause, PAUSE_MS), setTimeout(onRest, REST_MS)]
    for (const timer of this.#timers) timer.unref()
  }

  #stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
