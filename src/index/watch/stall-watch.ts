/** Reason for skipping a file that does not fit into the memory limit of the process. */
export const MEMORY_REASON = "memory limit"

/**
 * A worker was ended during its task: it reported nothing for too long, or the process came close to its memory
 * limit. `done` items of the task were complete.
 */
export class EndedError extends Error {
  override readonly name = "EndedError"
  readonly reason: "too slow" | typeof MEMORY_REASON
  readonly done: number

  constructor(reason: EndedError["reason"], done: number) {
    super(`a worker was ended: ${reason}`)
    this.reason = reason
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

  constructor(ms: number, onStall: (error: EndedError) => void) {
    this.#timer = setInterval(() => {
      if (++this.#checks === 2) onStall(new EndedError("too slow", this.done))
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
