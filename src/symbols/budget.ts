/** Limits for one query: number of files read, work and time. */
export type Bounds = {
  readonly files: number
  /** Maximum work, where reading one small file costs 1; without this field, the work is unlimited. */
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

/** What is left of the limits of one query. */
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

  /** Subtracts one file and the work that reading it took. */
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
