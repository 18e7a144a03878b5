import type { Analysed, AnalysedPassage } from "./analyse.ts"
import type { Dictionary } from "./dictionary.ts"
import { postingOf } from "./postings.ts"

/** An entry as the index takes it in: terms by their numbers in the dictionary. */
export type Prepared = {
  readonly flags: number
  /** Of each passage: its start and end in the text, its words with what is appended, how many postings it has. */
  readonly passages: Uint32Array
  /** Of each posting of each passage: the term, and what Postings wants to know of it. */
  readonly postings: Uint32Array
  /** Terms of its text in order. */
  readonly tokens: Uint32Array
  /** Every term it is found by, each once. */
  readonly terms: Uint32Array
  readonly topic: Uint32Array
  readonly tags: Uint32Array
}

export const PASSAGE_FIELDS = 4

export function prepare(analysed: Analysed, dictionary: Dictionary): Prepared {
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
