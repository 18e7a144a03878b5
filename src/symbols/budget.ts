/** Limits of one question: files, work and time. */
export type Bounds = {
  readonly files: number
  /** In units of the cost of a small file; without it, the work is unlimited. */
  readonly work?: number
  readonly ms: number
  /** Milliseconds of any clock that only goes forward. */
  readonly now: () => number
}

export const UNBOUNDED: Bounds = {
  files: Number.POSITIVE_INFINITY,
  ms: Number.POSITIVE_INFINITY,
  now: () => 0,
}

/** The remaining limits of a question. */
export class Budget {
  #files: number
  #work: number
  readonly #until: number
  readonly #now: () => number

  constructor({ files, work = Number.POSITIVE_INFINITY, ms, now }: Bounds) {
    this.#files = files
    this.#work = work
    this.#now = now
    this.#until = now() + ms
  }

  /** Deducts one file and the work that it took. */
  spend(work = 1): void {
    this.#files--
    this.#work -= work
  }

  get isSpent(): boolean {
    return this.#files <= 0 || this.#work <= 0 || this.isLate
  }

  get isLate(): boolean {
    return this.#now() > this.#until
  }
}
