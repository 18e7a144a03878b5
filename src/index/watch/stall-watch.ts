/** A worker reported nothing for too long and was ended; `done` items of its task were complete. */
export class StallError extends Error {
  override readonly name = "StallError"
  readonly done: number

  constructor(done: number) {
    super("a worker did not respond for too long")
    this.done = done
  }
}

/**
 * Calls `onStall` when nothing was reported for `ms`. It takes two timer ticks without a report in between,
 * so that a busy main thread or a sleeping machine does not count as a stall.
 */
export class StallWatch {
  /** Number of items done at the last report. */
  done = 0
  readonly #timer: ReturnType<typeof setInterval>
  #checks = 0

  constructor(ms: number, onStall: (error: StallError) => void) {
    this.#timer = setInterval(() => {
      if (++this.#checks === 2) onStall(new StallError(this.done))
    }, ms / 2)
  }

  progressed(done: number): void {
    this.done = done
    this.#checks = 0
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
