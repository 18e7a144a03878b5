// Clients kill a server some seconds after they close it; answers under way get less than that.
const SETTLE_MS = 1500
/** An agent that has more to ask has asked it by then. */
const PAUSE_MS = 1_000
/** So long after the last call others' indexes are closed as well (app/repos/serve.ts). */
const REST_MS = 60_000

type Rests = {
  /** All that was asked is answered, and nothing else has been asked yet. */
  readonly onAnswered: () => void
  /** Nobody has asked for anything for a second. */
  readonly onPause: () => void
  /** Nor for a minute. */
  readonly onRest: () => void
}

/** The calls under way in this process: they are answered before it ends. */
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

  /** Waits, for a moment, until every call that has arrived is answered. */
  async settle(): Promise<void> {
    await Bun.sleep(0)
    await Promise.race([Promise.allSettled(this.#open), Bun.sleep(SETTLE_MS)])
    // The answers themselves are written in the ticks after that.
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
