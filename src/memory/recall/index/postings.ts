import { copyNumbers, listAt, type NumberLists } from "./frozen-strings.ts"

/**
 * The passages that contain a term, and how often. A posting is a 32-bit number: the passage, then the number
 * of occurrences in its text (up to 63), then one bit that is set when the term is appended to the passage.
 */
export class Postings {
  /** The lists stored in an image. A term's own list replaces its stored one when it is first needed. */
  readonly #frozen: NumberLists
  readonly #lists: (number[] | undefined)[]
  /** Number of entries that contain the term, by term. */
  readonly #holders: number[]

  constructor({ lists, holders }: FrozenPostings = NO_POSTINGS) {
    this.#frozen = lists
    this.#lists = new Array<undefined>(holders.length).fill(undefined)
    this.#holders = copyNumbers(holders)
  }

  /** `posting`: the value returned by `postingOf`. */
  add(term: number, passage: number, posting: number): void {
    // Fill every index in between: arrays with holes are slower.
    for (let next = this.#lists.length; next <= term; next++) {
      this.#lists.push([])
      this.#holders.push(0)
    }
    this.#list(term).push(passage * 128 + posting)
  }

  addHolder(term: number): void {
    this.#holders[term]!++
  }

  /** Removes an entry's postings of a term. Its passages are [from, to). */
  remove(term: number, from: number, to: number): void {
    const list = this.#list(term)
    const first = firstAtLeast(list, from * 128)
    list.splice(first, firstAtLeast(list, to * 128) - first)
    this.#holders[term]!--
  }

  of(term: number): readonly number[] {
    return term < this.#lists.length ? this.#list(term) : NONE
  }

  /** Like `of`, but copies nothing; for callers that read each term only once. */
  read(term: number): ArrayLike<number> {
    return this.#lists[term] ?? listAt(this.#frozen, term)
  }

  holders(term: number): number {
    return this.#holders[term] ?? 0
  }

  /**
   * The term's list, copied from the image when first needed, because loops that see two types of arrays are slower.
   */
  #list(term: number): number[] {
    const known = this.#lists[term]
    if (known !== undefined) return known
    const list = copyNumbers(listAt(this.#frozen, term))
    this.#lists[term] = list
    return list
  }
}

export type FrozenPostings = { readonly lists: NumberLists; readonly holders: Uint32Array }

const NO_POSTINGS: FrozenPostings = {
  lists: { ends: new Uint32Array(1), numbers: new Uint32Array(0) },
  holders: new Uint32Array(0),
}

/**
 * The part of a posting without its passage: the number of occurrences, and whether the term comes from fields that are
 * appended to the text.
 */
export function postingOf(times: number, isAppended: boolean): number {
  return Math.min(times, 63) * 2 + (isAppended ? 1 : 0)
}

export function passageOf(posting: number): number {
  return posting >>> 7
}

/** Occurrences of the term in the passage's own text, up to 63. */
export function timesOf(posting: number): number {
  return (posting & 127) >> 1
}

/**
 * Occurrences of the term in the passage's text, plus one if it is among the terms that count for every passage of the
 * entry: those of its author and of the day on which it was recorded.
 */
export function timesInAll(posting: number): number {
  return ((posting & 127) >> 1) + (posting & 1)
}

const NONE: readonly number[] = []

/** Index of the first element ≥ `value`. Lists are sorted, because passage numbers only grow. */
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
