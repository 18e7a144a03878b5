/** What a question may cost: files that are looked at, and how long it may go on. */
export type Bounds = {
  readonly files: number
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
  readonly #until: number
  readonly #now: () => number

  constructor({ files, ms, now }: Bounds) {
    this.#files = files
    this.#now = now
    this.#until = now() + ms
  }

  /** Of one more file. */
  spend(): void {
    this.#files--
  }

  get isSpent(): boolean {
    return this.#files <= 0 || this.isLate
  }

  get isLate(): boolean {
    return this.#now() > this.#until
  }
}
