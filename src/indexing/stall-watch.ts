/** A worker was silent for too long and was ended; `done` parts of its task were done before. */
export class StallError extends Error {
  override readonly name = "StallError"
  readonly done: number

  constructor(done: number) {
    super("nothing was heard from a worker for too long")
    this.done = done
  }
}

/**
 * Calls `onStall` when nothing was heard for `ms`. It looks twice, with time between to hear: what kept this
 * thread itself busy, or the machine asleep, is no stall.
 */
export class StallWatch {
  /** As last heard. */
  done = 0
  readonly #timer: ReturnType<typeof setInterval>
  #looks = 0

  constructor(ms: number, onStall: (error: StallError) => void) {
    this.#timer = setInterval(() => {
      if (++this.#looks === 2) onStall(new StallError(this.done))
    }, ms / 2)
  }

  heard(done: number): void {
    this.done = done
    this.#looks = 0
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
