/** Above this share of the limit nothing more is begun beside what is under way. */
const PRESSED_SHARE = 0.85

export type MemoryGateOptions = {
  readonly limitBytes: number
  /** What the process holds now. */
  readonly residentBytes: () => number
  /** Gives back what is not needed just now; called while nothing is under way. */
  readonly relieve: () => void
}

/**
 * Lets pieces of work begin side by side while memory lasts. Under pressure the next one waits until all others have
 * ended, which is when their memory can be given back; then they go on one at a time until there is room again. Work
 * goes on even where a limit is too tight for one piece.
 */
export class MemoryGate {
  readonly #options: MemoryGateOptions
  #underWay = 0
  #waiting: (() => void)[] = []
  #pauses = 0

  constructor(options: MemoryGateOptions) {
    this.#options = options
  }

  /** How often work had to wait for memory. */
  get pauses(): number {
    return this.#pauses
  }

  /** Runs a piece of work as soon as there is room for it. `moreBytes`: what it takes beyond an ordinary piece. */
  async pass<T>(work: () => Promise<T>, moreBytes = 0): Promise<T> {
    while (this.#underWay > 0 && this.#isPressed(moreBytes)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    if (this.#underWay === 0 && this.#isPressed(moreBytes)) {
      this.#pauses++
      this.#options.relieve()
    }
    this.#underWay++
    try {
      return await work()
    } finally {
      this.#underWay--
      for (const resume of this.#waiting.splice(0)) resume()
    }
  }

  #isPressed(moreBytes: number): boolean {
    return this.#options.residentBytes() + moreBytes > this.#options.limitBytes * PRESSED_SHARE
  }
}
