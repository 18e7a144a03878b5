/** What a question may cost: files that are looked at, what is worked out of them, and how long it may go on. */
export type Bounds = {
  readonly files: number
  /** In what a small file costs; absent: as many files as there may be, whatever each of them costs. */
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

/** What is left of it. */
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

  /** Of one more file, and of what it took. */
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
