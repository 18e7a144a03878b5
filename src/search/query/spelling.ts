import { termOf } from "../../text/terms/abbreviations.ts"
import { hashTerm } from "../../text/terms/hash.ts"
import { words } from "../../text/terms/identifiers.ts"
import { queryTerms } from "../../text/terms/query-terms.ts"
import { isUnspaced } from "../../text/terms/unicode.ts"
import type { SearchSources } from "../sources.ts"
import type { ReadText } from "./phrases.ts"

export type Respelled = {
  readonly text: string
  /** Words that nothing contains, and those searched for instead. */
  readonly changes: readonly (readonly [from: string, to: string])[]
}

export type Dictionary = {
  /** About how many documents hold a term, by the halves of its hash. */
  documents(hi: number, lo: number): number
  /** Texts that should hold a term: of its kin, too, as terms are stems. */
  examples(hash: bigint): Iterable<string>
}

/** What the index and the files behind it know of words. */
export function dictionaryOf({ keyword, store }: SearchSources, readText: ReadText): Dictionary {
  return {
    documents: keyword.estimate,
    *examples(hash) {
      for (const id of keyword.someHolders(hash, MAX_EXAMPLES)) {
        const path = store.files.get(id)?.path
        if (path !== undefined) yield `${path}\n${readText(path) ?? ""}`
      }
    },
  }
}

/**
 * Words that the index does not hold, replaced by the commonest at one edit (Damerau: a letter more, less, another,
 * or two swapped). The index knows stems by their hashes only, so the neighbours are made, looked up, and believed
 * when a text shows them: "attackments" has the stem of attack, and is no word.
 * What stands in quotation marks is left alone.
 */
export function respell(text: string, dictionary: Dictionary): Respelled {
  const changes = new Map<string, string>()
  const parts = text.split(QUOTED).map((part, index) => {
    if (index % 2 === 1) return part
    const unknown = unknownWords(part, dictionary).slice(0, MAX_WORDS - changes.size)
    for (const word of unknown) {
      const known = commonestNeighbour(word, dictionary)
      if (known !== null) changes.set(word, known)
    }
    return changes.size === 0 ? part : replaced(part, changes)
  })
  return { text: parts.join(""), changes: [...changes] }
}

// Shorter words have neighbours everywhere, longer ones are data; and each word takes a millisecond or so.
const MIN_LENGTH = 4
/** Below this only swapped letters count: cash is one letter from cache, and another word. */
const MIN_CHANGED_LENGTH = 5
const MAX_LENGTH = 24
const MAX_WORDS = 3

const QUOTED = /("[^"]*")/u

function unknownWords(text: string, dictionary: Dictionary): string[] {
  const unknown = queryTerms(text).filter(
    ({ variants }) =>
      !variants.some(
        ({ hash }) => dictionary.documents(Number(hash >> 32n), Number(hash & 0xffff_ffffn)) > 0,
      ),
  )
  const typed = unknown.map(({ word }) => word)
  const isWord = (word: string) => /^\p{L}+$/u.test(word) && !isUnspaced(word)
  return typed.filter((word) => word.length >= MIN_LENGTH && word.length <= MAX_LENGTH && isWord(word))
}

function commonestNeighbour(word: string, dictionary: Dictionary): string | null {
  const known: { word: string; hash: bigint; weight: number }[] = []
  for (const { word: neighbour, likelihood, hash, hi, lo } of hashedNeighbours(word)) {
    const weight = likelihood * dictionary.documents(hi, lo)
    if (weight > 0) known.push({ word: neighbour, hash, weight })
  }
  const best = known.sort((a, b) => b.weight - a.weight).slice(0, MAX_TRIED)
  return best.find((found) => isShown(found.word, dictionary.examples(found.hash)))?.word ?? null
}

const MAX_TRIED = 4
const MAX_EXAMPLES = 3

function isShown(word: string, texts: Iterable<string>): boolean {
  for (const text of texts) {
    const lower = text.toLowerCase()
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
      if (isWhole(word, text.slice(Math.max(0, at - MAX_LENGTH), at + word.length + MAX_LENGTH))) return true
    }
  }
  return false
}

/** Whether a word, or a name of several, in this stretch of text is the one. */
function isWhole(word: string, text: string): boolean {
  const found = words(text)
  return found.some((_, first) => {
    let joined = ""
    for (let at = first; joined.length < word.length && at < found.length; at++) joined += found[at]!
    return joined === word
  })
}

// Two swapped letters are the commonest slip, a wrong first one the rarest (Pollock and Zamora 1984).
const SWAPPED = 4
const FIRST_LETTER = 1 / 16

type Neighbour = readonly [word: string, likelihood: number]
type Hashed = {
  readonly word: string
  readonly likelihood: number
  readonly hash: bigint
  readonly hi: number
  readonly lo: number
}

/** Made once where several indexes are asked the same, one after the other: some six hundred for each word. */
function hashedNeighbours(word: string): readonly Hashed[] {
  const kept = lastNeighbours.deref() ?? new Map<string, readonly Hashed[]>()
  const known = kept.get(word)
  if (known !== undefined) return known
  const made = Array.from(neighbours(word), ([neighbour, likelihood]): Hashed => {
    const hash = hashTerm(termOf(neighbour))
    return { word: neighbour, likelihood, hash, hi: Number(hash >> 32n), lo: Number(hash & 0xffff_ffffn) }
  })
  if (kept.size === MAX_WORDS) kept.clear()
  kept.set(word, made)
  lastNeighbours = new WeakRef(kept)
  return made
}

/** For as long as nothing is collected. */
let lastNeighbours = new WeakRef(new Map<string, readonly Hashed[]>())

function* neighbours(word: string): Generator<Neighbour> {
  for (let at = 0; at + 1 < word.length; at++) {
    const swapped = word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2)
    yield [swapped, at === 0 ? SWAPPED * FIRST_LETTER : SWAPPED]
  }
  if (word.length >= MIN_CHANGED_LENGTH) yield* changed(word)
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
