import { firstAtLeast } from "../../../base/sorted.ts"
import { copyNumbers, listAt, type NumberLists, type Numbers } from "./frozen-strings.ts"

/**
 * The passages that contain a term, and how often. A posting is a 32-bit number: the passage, then the number
 * of occurrences in its text (up to 63), then one bit that is set when the term is appended to the passage.
 */
export class Postings {
  /** The lists stored in an image. A term's own list replaces its stored one when it changes. */
  readonly #frozen: NumberLists
  readonly #lists: (PostingList | undefined)[]
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
      this.#lists.push({ postings: new Uint32Array(1), length: 0 })
      this.#holders.push(0)
    }
    const list = this.#list(term)
    if (list.length === list.postings.length) list.postings = enlarged(list.postings)
    list.postings[list.length++] = passage * 128 + posting
  }

  addHolder(term: number): void {
    this.#holders[term]!++
  }

  /** Removes an entry's postings of a term. Its passages are [from, to). */
  remove(term: number, from: number, to: number): void {
    const list = this.#list(term)
    const postings = list.postings.subarray(0, list.length)
    const first = firstAtLeast(postings, from * 128)
    const end = firstAtLeast(postings, to * 128)
    postings.copyWithin(first, end)
    list.length -= end - first
    this.#holders[term]!--
  }

  /** The term's postings in the order of passages, to be read before the next change. */
  of(term: number): Uint32Array {
    const list = this.#lists[term]
    if (list !== undefined) return list.postings.subarray(0, list.length)
    return term < this.#lists.length ? asWide(listAt(this.#frozen, term)) : NONE
  }

  holders(term: number): number {
    return this.#holders[term] ?? 0
  }

  #list(term: number): PostingList {
    const known = this.#lists[term]
    if (known !== undefined) return known
    const postings = Uint32Array.from(listAt(this.#frozen, term))
    const list = { postings, length: postings.length }
    this.#lists[term] = list
    return list
  }
}

/** The first `length` elements are valid. */
type PostingList = { postings: Uint32Array; length: number }

function enlarged(postings: Uint32Array): Uint32Array {
  const more = new Uint32Array(postings.length < 4 ? 4 : Math.ceil(postings.length * ROOM))
  more.set(postings)
  return more
}

const ROOM = 1.5

/** Loops over postings see one type of array only, because others make them slower. */
function asWide(postings: Numbers): Uint32Array {
  return postings instanceof Uint32Array ? postings : Uint32Array.from(postings)
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

const NONE = new Uint32Array(0)
