/**
 * Which passages hold a term, how often. A posting is one number of 32 bits: passage, then how often the text says it
 * (up to 63), then whether the term is appended to the passage.
 */
export class Postings {
  readonly #lists: number[][] = []
  /** Entries that hold the term. */
  readonly #holders: number[] = []

  /** `posting` as `postingOf` makes it. */
  add(term: number, passage: number, posting: number): void {
    // No holes: an array with holes is a slow one.
    for (let next = this.#lists.length; next <= term; next++) {
      this.#lists.push([])
      this.#holders.push(0)
    }
    this.#lists[term]!.push(passage * 128 + posting)
  }

  addHolder(term: number): void {
    this.#holders[term]!++
  }

  /** Forgets an entry's postings of a term; its passages are [from, to). */
  remove(term: number, from: number, to: number): void {
    const list = this.#lists[term]!
    const first = firstAtLeast(list, from * 128)
    list.splice(first, firstAtLeast(list, to * 128) - first)
    this.#holders[term]!--
  }

  of(term: number): readonly number[] {
    return this.#lists[term] ?? NONE
  }

  holders(term: number): number {
    return this.#holders[term] ?? 0
  }
}

/** How often a passage says a term, and whether it is appended to it: what a posting is beside its passage. */
export function postingOf(times: number, isAppended: boolean): number {
  return Math.min(times, 63) * 2 + (isAppended ? 1 : 0)
}

export function passageOf(posting: number): number {
  return posting >>> 7
}

/** How often the passage's text itself says it. */
export function timesOf(posting: number): number {
  return (posting & 127) >> 1
}

/** The same with what is appended. */
export function timesInAll(posting: number): number {
  return ((posting & 127) >> 1) + (posting & 1)
}

const NONE: readonly number[] = []

/** Passages only ever grow, so that every list is sorted. */
function firstAtLeast(list: readonly number[], value: number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
