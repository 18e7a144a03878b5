/** Reason for skipping a file that does not fit into the memory limit of the process. */
export const MEMORY_REASON = "memory limit"

/**
 * The error of a task whose worker was ended during the task, either because it reported nothing for too long or
 * because the process came close to its memory limit. `done` is the number of items that were complete.
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
 * Calls `onStall` when nothing was reported for `ms`. It requires two timer ticks without a report, so that neither a
 * busy main thread nor a machine that slept counts as a stall.
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
