import { InFlight } from "../../base/process/in-flight.ts"

// Clients kill a server some seconds after closing it; running calls get less time than that.
const SETTLE_MS = 1500
/**
 * Pause in ms after which the agent has probably finished a piece of work: during the work, the next call usually comes
 * sooner.
 */
const PAUSE_MS = 1_000
/**
 * After this time without a call, indexes of other repositories are closed, too
 * (app/repositories/served-repositories.ts).
 */
const REST_MS = 60_000

type Idle = {
  /** Called when all calls are answered and no other has arrived. */
  readonly onAnswered: () => void
  /** Called after a second without calls. */
  readonly onPause: () => void
  /** Called after a minute without calls. */
  readonly onRest: () => void
}

/** Running calls of this process: they are answered before it ends, and memory is released after them. */
export class Calls {
  readonly #open = new InFlight()
  readonly #idle: Idle
  #timers: ReturnType<typeof setTimeout>[] = []

  constructor(idle: Idle) {
    this.#idle = idle
  }

  async track<T>(call: Promise<T>): Promise<T> {
    this.#stopTimers()
    try {
      return await this.#open.track(call)
    } finally {
      this.#startTimers()
    }
  }

  /** Waits until every call that has arrived is answered, at most SETTLE_MS. */
  async settle(): Promise<void> {
    await Bun.sleep(0)
    await Promise.race([this.#open.settled(), Bun.sleep(SETTLE_MS)])
    // Lets the answers be written, which takes another tick.
    await Bun.sleep(0)
  }

  #startTimers(): void {
    if (this.#open.count > 0) return
    this.#stopTimers()
    const { onAnswered, onPause, onRest } = this.#idle
    this.#timers = [setTimeout(onAnswered, 0), setTimeout(onPause, PAUSE_MS), setTimeout(onRest, REST_MS)]
    for (const timer of this.#timers) timer.unref()
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
