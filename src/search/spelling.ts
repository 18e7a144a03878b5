import { termOf } from "../text/abbreviations.ts"
import { hashTerm } from "../text/hash.ts"
import { queryTerms } from "../text/query-terms.ts"
import { isUnspaced } from "../text/unicode.ts"
import type { SearchSources } from "./sources.ts"

export type Respelled = {
  readonly text: string
  /** Words that nothing contains, and those searched for instead. */
  readonly changes: readonly (readonly [from: string, to: string])[]
}

type Dictionary = Pick<SearchSources["keyword"], "estimate">

/**
 * Words that the index does not hold, replaced by the commonest at one edit (Damerau: a letter more, less, another,
 * or two swapped). The index knows words by their hashes only, so the neighbours are made and looked up.
 * What stands in quotation marks is left alone.
 */
export function respell(text: string, dictionary: Dictionary): Respelled {
  const changes = new Map<string, string>()
  const parts = text.split(QUOTED).map((part, index) => {
    if (index % 2 === 1) return part
    const words = unknownWords(part, dictionary).slice(0, MOST_WORDS - changes.size)
    for (const word of words) {
      const known = commonestNeighbour(word, dictionary)
      if (known !== null) changes.set(word, known)
    }
    return changes.size === 0 ? part : replaced(part, changes)
  })
  return { text: parts.join(""), changes: [...changes] }
}

// Shorter words have neighbours everywhere, longer ones are data; and each word takes a millisecond or so.
const SHORTEST = 4
/** Below this only swapped letters count: cash is one letter from cache, and another word. */
const SHORTEST_CHANGED = 5
const LONGEST = 24
const MOST_WORDS = 3

const QUOTED = /("[^"]*")/u

function unknownWords(text: string, dictionary: Dictionary): string[] {
  const unknown = queryTerms(text).filter(
    ({ variants }) => !variants.some(({ hash }) => documents(hash, dictionary) > 0),
  )
  const words = unknown.map(({ word }) => word)
  const isWord = (word: string) => /^\p{L}+$/u.test(word) && !isUnspaced(word)
  return words.filter((word) => word.length >= SHORTEST && word.length <= LONGEST && isWord(word))
}

function commonestNeighbour(word: string, dictionary: Dictionary): string | null {
  let best: string | null = null
  let most = 0
  for (const [neighbour, likelihood] of neighbours(word)) {
    const weight = likelihood * documents(hashTerm(termOf(neighbour)), dictionary)
    if (weight > most) {
      best = neighbour
      most = weight
    }
  }
  return best
}

function documents(hash: bigint, dictionary: Dictionary): number {
  return dictionary.estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn))
}

// Two swapped letters are the commonest slip, a wrong first one the rarest (Pollock and Zamora 1984).
const SWAPPED = 4
const FIRST_LETTER = 1 / 16

type Neighbour = readonly [word: string, likelihood: number]

function* neighbours(word: string): Generator<Neighbour> {
  for (let at = 0; at + 1 < word.length; at++) {
    const swapped = word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2)
    yield [swapped, at === 0 ? SWAPPED * FIRST_LETTER : SWAPPED]
  }
  if (word.length >= SHORTEST_CHANGED) yield* changed(word)
}

/** With a letter more, less, or another. */
function* changed(word: string): Generator<Neighbour> {
  const letters = alphabetOf(word)
  for (let at = 0; at <= word.length; at++) {
    const likelihood = at === 0 ? FIRST_LETTER : 1
    const before = word.slice(0, at)
    for (const letter of letters) yield [before + letter + word.slice(at), likelihood]
    if (at === word.length) continue
    for (const letter of ["", ...letters]) yield [before + letter + word.slice(at + 1), likelihood]
  }
}

const LATIN = "abcdefghijklmnopqrstuvwxyz"
const CYRILLIC = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
const GREEK = "αβγδεζηθικλμνξοπρστυφχψω"

/** In other scripts only letters that are there can be too many or swapped. */
function alphabetOf(word: string): string {
  if (/\p{Script=Latin}/u.test(word)) return LATIN
  if (/\p{Script=Cyrillic}/u.test(word)) return CYRILLIC
  return /\p{Script=Greek}/u.test(word) ? GREEK : ""
}

/** RefnudPayment becomes RefundPayment: what was typed in capitals stays so. */
function replaced(text: string, changes: ReadonlyMap<string, string>): string {
  return text.replace(new RegExp([...changes.keys()].join("|"), "giu"), (typed) => {
    const to = changes.get(typed.toLowerCase()) ?? typed
    if (typed === typed.toUpperCase()) return to.toUpperCase()
    return typed[0] === typed[0]!.toUpperCase() ? to[0]!.toUpperCase() + to.slice(1) : to
  })
}
