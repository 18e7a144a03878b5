/** The moment, and whether the process should be done by now. */
export type Clock = {
  readonly now: Date
  /** Whether a call that may take so long has taken it. */
  readonly isPast: (deadlineMs: number) => boolean
}
