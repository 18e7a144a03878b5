import type { SearchSources } from "../../index/index.ts"
import { hashTerm, isDocument, isUnspaced, queryTerms, termOf, words } from "../../text/index.ts"
import type { ReadText } from "./operators.ts"
import { withoutReferences } from "./query.ts"

export type CorrectedQuery = {
  readonly text: string
  /** Words that the index lacks, each with the word that is searched for instead. */
  readonly changes: readonly (readonly [from: string, to: string])[]
}

export type Dictionary = {
  /** Estimated number of documents that contain a term, which is given by the two halves of its hash. */
  documents(hi: number, lo: number): number
  /** Texts that contain a term. The term is a stem, so a text may contain another word with the same stem. */
  examples(hash: bigint): Iterable<string>
}

/** Creates a dictionary from the index and the files of the project. */
export function dictionaryOf({ keyword, store }: SearchSources, readText: ReadText): Dictionary {
  return {
    documents: keyword.estimate,
    *examples(hash) {
      for (const id of keyword.someHolders(hash, MAX_EXAMPLES)) {
        const path = store.files.get(id)?.path
        if (path === undefined) continue
        // The text of an office document or PDF file takes long to extract.
        const text = isDocument(path) ? null : readText(path)
        yield `${path}\n${text ?? ""}`
      }
    },
  }
}

/** The words of a text outside of quotation marks that the index does not contain, and that may be misspelled. */
export function unknownWordsOf(text: string, dictionary: Dictionary): string[] {
  return text.split(QUOTED).flatMap((part, index) => (index % 2 === 1 ? [] : unknownWords(part, dictionary)))
}

/**
 * Corrects words that the index does not contain; if `correctable` is given, only the words in it. Each is replaced by
 * the two words of which a name in a text is made or, if there is no such name, by the most common word at an edit distance of one (Damerau: a letter inserted, deleted or replaced, or two neighbouring
 * letters swapped). The index contains only hashes of stems, so all words at that distance are generated and looked up.
 * A word is accepted only if a text contains it: "attackments" has the stem of "attack" but is no word. Text in
 * quotation marks is not changed.
 */
export function correctSpelling(
  text: string,
  dictionary: Dictionary,
  correctable: readonly string[] | null = null,
): CorrectedQuery {
  const changes = new Map<string, string>()
  const parts = text.split(QUOTED).map((part, index) => {
    if (index % 2 === 1) return part
    const unknown = unknownWords(part, dictionary).filter((word) => correctable?.includes(word) ?? true)
    for (const word of unknown.slice(0, MAX_WORDS - changes.size)) {
      const known = asTwoWords(word, dictionary) ?? commonestNeighbour(word, dictionary)
      if (known !== null) changes.set(word, known)
    }
    return changes.size === 0 ? part : withReplacedWords(part, changes)
  })
  return { text: parts.join(""), changes: [...changes] }
}

// Minimum and maximum length of a word that is corrected: shorter words have too many neighbours, and longer ones are
// usually data. Correcting a word takes about 1 ms.
const MIN_LENGTH = 4
/**
 * In words shorter than this, only swapped letters are corrected: "cash" differs from "cache" by one letter but is
 * another word.
 */
const MIN_CHANGED_LENGTH = 5
const MAX_LENGTH = 24
const MAX_WORDS = 3

const QUOTED = /("[^"]*")/u

function unknownWords(text: string, dictionary: Dictionary): string[] {
  const unknown = checkedWords(text).filter(
    ({ hashes }) => !hashes.some(([hi, lo]) => dictionary.documents(hi, lo) > 0),
  )
  return unknown.map(({ word }) => word)
}

/** A word that may be corrected, and the two halves of the hash of each of its variants. */
type CheckedWord = { readonly word: string; readonly hashes: readonly (readonly [hi: number, lo: number])[] }

/** The words of a text that may be corrected. The last result is kept, because a question is asked of many indexes. */
function checkedWords(text: string): readonly CheckedWord[] {
  if (lastChecked?.text === text) return lastChecked.words
  const isWord = (word: string) => /^\p{L}+$/u.test(word) && !isUnspaced(word)
  const words = queryTerms(withoutReferences(text))
    .filter(({ word }) => word.length >= MIN_LENGTH && word.length <= MAX_LENGTH && isWord(word))
    .map(({ word, variants }): CheckedWord => {
      const hashes = variants.map(({ hash }) => [Number(hash >> 32n), Number(hash & 0xffff_ffffn)] as const)
      return { word, hashes }
    })
  lastChecked = { text, words }
  return words
}

let lastChecked: { readonly text: string; readonly words: readonly CheckedWord[] } | null = null

/** The word as the two words of a name that a text contains: "java script" for javascript in JavaScriptParser. */
function asTwoWords(word: string, dictionary: Dictionary): string | null {
  const splits: { readonly pair: string; readonly hash: bigint; readonly documents: number }[] = []
  for (let at = 2; at + 2 <= word.length; at++) {
    const halves = [word.slice(0, at), word.slice(at)].map((half) => {
      const hash = hashTerm(termOf(half))
      return { hash, documents: dictionary.documents(Number(hash >> 32n), Number(hash & 0xffff_ffffn)) }
    })
    const rarer = halves.reduce((one, other) => (other.documents < one.documents ? other : one))
    if (rarer.documents > 0) splits.push({ ...rarer, pair: `${word.slice(0, at)} ${word.slice(at)}` })
  }
  const best = splits.sort((a, b) => a.documents - b.documents).slice(0, MAX_TRIED)
  return best.find(({ hash }) => occursIn(word, dictionary.examples(hash)))?.pair ?? null
}

function commonestNeighbour(word: string, dictionary: Dictionary): string | null {
  const known: { word: string; hash: bigint; weight: number }[] = []
  for (const { word: neighbour, likelihood, hash, hi, lo } of hashedNeighbours(word)) {
    const weight = likelihood * dictionary.documents(hi, lo)
    if (weight > 0) known.push({ word: neighbour, hash, weight })
  }
  const best = known.sort((a, b) => b.weight - a.weight).slice(0, MAX_TRIED)
  return best.find((found) => occursIn(found.word, dictionary.examples(found.hash)))?.word ?? null
}

const MAX_TRIED = 4
const MAX_EXAMPLES = 3

function occursIn(word: string, texts: Iterable<string>): boolean {
  // The word consists of letters only, so nothing has to be escaped. Searching a lower-case copy of each text instead
  // would take ten times as long.
  const anyCase = new RegExp(word, "gi")
  for (const text of texts) {
    for (const { index: at } of text.matchAll(anyCase)) {
      if (isWholeWord(word, text.slice(Math.max(0, at - MAX_LENGTH), at + word.length + MAX_LENGTH)))
        return true
    }
  }
  return false
}

/** True if the word is a whole word of the text, or a whole name of several words. */
function isWholeWord(word: string, text: string): boolean {
  const found = words(text)
  return found.some((_, first) => {
    let joined = ""
    for (let at = first; joined.length < word.length && at < found.length; at++) joined += found[at]!
    return joined === word
  })
}

// Likelihoods of the kinds of errors: swapped letters are the most common error, a wrong first letter the rarest
// (Pollock and Zamora 1984).
const SWAPPED = 4
const FIRST_LETTER = 1 / 16

type NeighbourWord = readonly [word: string, likelihood: number]
type HashedWord = {
  readonly word: string
  readonly likelihood: number
  readonly hash: bigint
  readonly hi: number
  readonly lo: number
}

/**
 * The neighbours of a word, several hundred, with their hashes. They are cached, because the same query is often run on
 * several indexes.
 */
function hashedNeighbours(word: string): readonly HashedWord[] {
  const cache = lastNeighbours.deref() ?? new Map<string, readonly HashedWord[]>()
  const known = cache.get(word)
  if (known !== undefined) return known
  const hashed = Array.from(neighbours(word), ([neighbour, likelihood]): HashedWord => {
    const hash = hashTerm(termOf(neighbour))
    return { word: neighbour, likelihood, hash, hi: Number(hash >> 32n), lo: Number(hash & 0xffff_ffffn) }
  })
  if (cache.size === MAX_WORDS) cache.clear()
  cache.set(word, hashed)
  lastNeighbours = new WeakRef(cache)
  return hashed
}

/** A weak reference, so that garbage collection frees the cache. */
let lastNeighbours = new WeakRef(new Map<string, readonly HashedWord[]>())

function* neighbours(word: string): Generator<NeighbourWord> {
  for (let at = 0; at + 1 < word.length; at++) {
    const swapped = word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2)
    yield [swapped, at === 0 ? SWAPPED * FIRST_LETTER : SWAPPED]
  }
  if (word.length >= MIN_CHANGED_LENGTH) yield* oneLetterEdits(word)
}

/** Words with one letter inserted, deleted or replaced. */
function* oneLetterEdits(word: string): Generator<NeighbourWord> {
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

/** Letters that may be inserted, by the word's script. Empty for other scripts: only deletion and swaps are tried. */
function alphabetOf(word: string): string {
  if (/\p{Script=Latin}/u.test(word)) return LATIN
  if (/\p{Script=Cyrillic}/u.test(word)) return CYRILLIC
  return /\p{Script=Greek}/u.test(word) ? GREEK : ""
}

/** Replaces words and keeps the upper or lower case as typed: RefnudPayment becomes RefundPayment. */
function withReplacedWords(text: string, changes: ReadonlyMap<string, string>): string {
  return text.replace(new RegExp([...changes.keys()].join("|"), "giu"), (typed) => {
    const to = changes.get(typed.toLowerCase()) ?? typed
    if (typed === typed.toUpperCase()) return to.toUpperCase()
    return typed[0] === typed[0]!.toUpperCase() ? to[0]!.toUpperCase() + to.slice(1) : to
  })
}
