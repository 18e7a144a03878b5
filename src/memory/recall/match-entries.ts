/*
 * Tells hooks, without a text or an index, whether any entry shares rare words with a prompt, and finds words in a text.
 */

import { inverseDocumentFrequency } from "../../base/index.ts"
import { contentWords, isSmallTalk } from "../../text/index.ts"
import { analyseTerms, termOfWord } from "./question.ts"

/**
 * `holders` returns the numbers of the entries that contain a term, without loading the entries; `entries` is the
 * number of all entries.
 */
export type TermHolders = { readonly entries: number; readonly holders: (term: string) => ArrayLike<number> }

/**
 * Strength of the best match of a text, computed only from the lists of entries that contain each term, relative to a
 * threshold that one in fifty unrelated texts reaches; 0 when there is none.
 */
export function strengthByHolders(text: string, { entries, holders }: TermHolders): number {
  const searched = askedTerms(text)
  const lists = searched.map(({ term }) => holders(term))
  const held = new Map<number, number[]>()
  for (const [term, list] of lists.entries()) {
    for (let i = 0; i < list.length; i++) {
      const terms = held.get(list[i]!)
      if (terms === undefined) held.set(list[i]!, [term])
      else terms.push(term)
    }
  }
  const rarity = lists.map(({ length }) => rarityOf(length, entries))
  let strongest = 0
  for (const shared of held.values())
    if (isEnough(shared, searched)) strongest = Math.max(strongest, strengthOf(shared, rarity, entries))
  return strongest
}

type AskedTerm = { readonly term: string; readonly isSmallTalk: boolean }

function askedTerms(text: string): AskedTerm[] {
  const words = contentWords(text, MAX_WORDS)
  const terms = new Map(words.map((word) => [analyseTerms(word).inOrder[0] ?? word, word] as const))
  return [...terms].map(([term, word]) => ({ term, isSmallTalk: isSmallTalk(word) }))
}

function isEnough(shared: readonly number[], searched: readonly AskedTerm[]): boolean {
  return shared.filter((term) => !searched[term]!.isSmallTalk).length >= MIN_SHARED
}

/** The shared idf, multiplied by its share of the text's total idf, relative to the threshold. */
function strengthOf(shared: readonly number[], rarity: readonly number[], entries: number): number {
  const total = rarity.reduce((sum, each) => sum + each, 0)
  const mass = shared.reduce((sum, term) => sum + rarity[term]!, 0)
  return ((mass / total) * mass) / thresholdOf(entries)
}

/** Only the first words of a text are used; the rest of a longer text is mostly about the same subject. */
const MAX_WORDS = 40
/** Minimum number of shared words; a single one is often shared by chance. */
const MIN_SHARED = 2
/** Minimum entry count used for idf and threshold; with fewer entries every word would seem rare. */
const MIN_ENTRIES = 20

/**
 * Threshold for the strength; it grows with the number of entries, because more entries share words with any
 * text. Fitted on stores of 6 to 444 notes of nineteen projects, so that one in fifty unrelated texts passes:
 * .36 at 23, .59 at 68, .70 at 138, .89 at 444 (docs/hooks.md).
 */
function thresholdOf(entries: number): number {
  return 0.17 * Math.log(Math.max(entries, MIN_ENTRIES)) - 0.15
}

/** Inverse document frequency, scaled to 1 for a word that no entry contains. */
function rarityOf(holders: number, entries: number): number {
  const all = Math.max(entries, MIN_ENTRIES)
  return inverseDocumentFrequency(all, holders) / inverseDocumentFrequency(all, 0)
}

type SearchedTerm = {
  readonly term: string
  /** True for a script without spaces: the term matches at any position. */
  readonly isUnspaced: boolean
}

/**
 * Offset of the first word with this term at or after `from`; -1 when there is none. Searches for the letters
 * that the term's word forms share and analyses only the words around them, in a hundredth of the time that
 * analysing the text takes. `lower` is `original` in lower case, of the same length.
 */
export function findWord(
  original: string,
  lower: string,
  { term, isUnspaced }: SearchedTerm,
  from = 0,
): number {
  if (term.length > MAX_TERM_CHARS) return -1
  const shared = isUnspaced || term.length <= SHORT ? term : term.slice(0, -1)
  for (let at = lower.indexOf(shared, from); at >= 0; at = lower.indexOf(shared, at + 1)) {
    if (isUnspaced) return at
    if (!beginsWord(original, lower, at)) continue
    const word = lower.slice(at, endOfWord(original, lower, at, at + term.length + MAX_ENDING + 1))
    if (word.length <= term.length + MAX_ENDING && termOfWord(word) === term) return at
  }
  return -1
}

/**
 * Longer terms are searched without their last letter, because it can differ from the word's: the term of
 * retry is retri.
 */
const SHORT = 3
/** Max number of letters that stemming removes from a word. */
const MAX_ENDING = 24
/** Longer rows of letters are no words; they are not read, so that they cost their length and not its square. */
const MAX_TERM_CHARS = 200

/**
 * Uses the tokenizer's word boundaries: between letters, digits and other characters, and before an inner
 * capital.
 */
function beginsWord(original: string, lower: string, at: number): boolean {
  if (at === 0) return true
  const [before, own] = [characterClass(lower, at - 1), characterClass(lower, at)]
  return before !== own || isCapital(original, lower, at)
}

function endOfWord(original: string, lower: string, at: number, limit: number): number {
  const own = characterClass(lower, at)
  let end = at + 1
  const stop = Math.min(lower.length, limit)
  while (end < stop && characterClass(lower, end) === own && !isInnerCapital(original, lower, end)) end++
  return end
}

function isInnerCapital(original: string, lower: string, at: number): boolean {
  return isCapital(original, lower, at) && !isCapital(original, lower, at - 1)
}

function isCapital(original: string, lower: string, at: number): boolean {
  return original.charCodeAt(at) !== lower.charCodeAt(at)
}

const [OTHER, LETTER, DIGIT] = [0, 1, 2]

function characterClass(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code >= 97 && code <= 122) return LETTER
  if (code >= 48 && code <= 57) return DIGIT
  // Beyond ASCII most characters inside a word are letters.
  return code > 127 && code !== 0xa0 && (code < 0x2000 || code > 0x206f) ? LETTER : OTHER
}
