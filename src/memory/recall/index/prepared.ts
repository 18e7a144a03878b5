import type { AnalysedEntry, AnalysedPassage } from "./analyse.ts"
import type { Dictionary } from "./dictionary.ts"
import { copyNumbers, listAt, type NumberLists, type Numbers } from "./frozen-strings.ts"
import { postingOf } from "./postings.ts"

/** An entry in the form that the index stores: terms are numbers of the dictionary. */
export type PreparedEntry = {
  readonly flags: number
  /**
   * Four numbers per passage: start and end in the text, number of words including appended ones, number of
   * postings.
   */
  readonly passages: Uint32Array
  /** Two numbers per posting: the term, and the value of `postingOf`. */
  readonly postings: Uint32Array
  /** Terms of the text, in order. */
  readonly tokens: Uint32Array
  /** The distinct terms that find the entry. */
  readonly terms: Uint32Array
  readonly topic: Uint32Array
  readonly tags: Uint32Array
}

export const PASSAGE_FIELDS = 4

export function prepareEntry(analysed: AnalysedEntry, dictionary: Dictionary): PreparedEntry {
  const { passages, appended, flags } = analysed
  const terms = Uint32Array.from(analysed.terms, (term) => dictionary.add(term))
  const numbersAt = (places: ArrayLike<number>) => Uint32Array.from(places, (place) => terms[place]!)
  const heads: number[] = []
  const postings: number[] = []
  const isFound = new Uint8Array(terms.length)
  for (const passage of passages) {
    const before = postings.length
    addPostings(passage, appended, terms, postings, isFound)
    const length = passage.inOrder.length + appended.length
    heads.push(passage.start, passage.end, length, (postings.length - before) / 2)
  }
  return {
    flags,
    passages: Uint32Array.from(heads),
    postings: Uint32Array.from(postings),
    tokens: Uint32Array.from(
      passages.flatMap(({ inOrder }) => Array.from(inOrder)),
      (place) => terms[place]!,
    ),
    terms: terms.filter((_, place) => isFound[place] === 1),
    topic: numbersAt(analysed.topic),
    tags: numbersAt(analysed.tags),
  }
}

function addPostings(
  { inOrder, besides }: AnalysedPassage,
  appended: ArrayLike<number>,
  terms: Uint32Array,
  postings: number[],
  isFound: Uint8Array,
): void {
  const times = new Uint16Array(terms.length)
  const isAppended = new Uint8Array(terms.length)
  for (let i = 0; i < inOrder.length; i++) times[inOrder[i]!]!++
  for (let i = 0; i < besides.length; i++) times[besides[i]!]!++
  for (let i = 0; i < appended.length; i++) isAppended[appended[i]!] = 1
  for (let place = 0; place < terms.length; place++) {
    if (times[place] === 0 && isAppended[place] === 0) continue
    postings.push(terms[place]!, postingOf(times[place]!, isAppended[place] === 1))
    isFound[place] = 1
  }
}

/** The slots that have a term in their topic, or in their tags. */
export class Labels {
  readonly #slots = new Map<number, number[]>()
  /** Slots by term, stored in an image. A term's own list replaces its stored one when it changes. */
  readonly #frozen: NumberLists | null

  constructor(frozen: NumberLists | null = null) {
    this.#frozen = frozen
  }

  /** `terms` must be distinct. */
  add(terms: Iterable<number>, slot: number): void {
    for (const term of terms) {
      const slots = this.#list(term)
      if (slots === undefined) this.#slots.set(term, [slot])
      else slots.push(slot)
    }
  }

  remove(terms: Iterable<number>, slot: number): void {
    for (const term of terms) {
      const slots = this.#list(term)
      const place = slots?.indexOf(slot) ?? -1
      if (slots === undefined || place < 0) continue
      slots[place] = slots[slots.length - 1]!
      slots.pop()
    }
  }

  /** The slots of a term, in no particular order, to be read before the next change. */
  of(term: number): ArrayLike<number> {
    return this.#slots.get(term) ?? this.#stored(term) ?? NONE
  }

  /** The term's own list; undefined if it has none and no stored one. */
  #list(term: number): number[] | undefined {
    const known = this.#slots.get(term)
    const stored = known === undefined ? this.#stored(term) : undefined
    if (stored === undefined) return known
    const list = copyNumbers(stored)
    this.#slots.set(term, list)
    return list
  }

  #stored(term: number): Numbers | undefined {
    if (this.#frozen === null || term + 1 >= this.#frozen.ends.length) return undefined
    return listAt(this.#frozen, term)
  }
}

const NONE: readonly number[] = []
