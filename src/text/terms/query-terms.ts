import { termOf } from "./abbreviations.ts"
import { hashTerm } from "./hash.ts"
import { words } from "./identifiers.ts"
import { STOP_WORDS } from "./stop-words.ts"
import { folded, isUnspaced } from "./unicode.ts"

export type QueryWord = {
  /** The word as typed, in lower case. */
  readonly word: string
  readonly stem: string
  /** How much the word counts relative to the others, 0 to 1. It is the weight of its passage. */
  readonly weight: number
  /** Every term that counts as this word: its stem, then the compounds of this word and the word before or after it. */
  readonly forms: readonly string[]
  /**
   * Hashes that count as this word: that of its stem with weight 1 (none for a number that is part of a name), then
   * those of compounds that it may be part of, and of its form without accents.
   */
  readonly variants: readonly { readonly hash: bigint; readonly weight: number }[]
}

/** A part of a query's text, and the weight of its words relative to other parts, 0 to 1. */
export type Passage = { readonly text: string; readonly weight: number }

/** How words are selected from a query. */
type WordChoice = {
  /** True to keep stop words. */
  readonly everyWord?: boolean | undefined
  /** Returns the inverse document frequency of a term, which decides which words of a long text are searched for. */
  readonly rarity?: ((hash: bigint) => number) | undefined
}

/**
 * The words that a query searches for, in order, each stem once, at most MAX_QUERY_TERMS. Stop words are left out,
 * unless there are no other words or `everyWord` is true. If there are too many words, those with the highest weight ×
 * rarity are selected.
 */
export function queryTerms(query: string | readonly Passage[], choice: WordChoice = {}): QueryWord[] {
  const passages = typeof query === "string" ? [{ text: query, weight: 1 }] : query
  const all = passages.map((passage): PassageWords => ({ ...passage, kept: words(passage.text) }))
  const content = all.map((passage) => ({
    ...passage,
    kept: passage.kept.filter((word) => !STOP_WORDS.has(word)),
  }))
  const hasContent = content.some(({ kept }) => kept.length > 0) && !choice.everyWord
  const kept = hasContent ? content : all
  const stemOf = cachedStems(termOf)
  const terms = bestTerms(distinctStems(kept, stemOf), choice.rarity)
  for (const passage of kept) attachCompounds(terms, passage, stemOf)
  const text = passages.length === 1 ? passages[0]!.text : passages.map((passage) => passage.text).join("\n")
  return [...terms.values()].map(({ word, stem, weight, compounds }) => {
    // In "sha256", the number counts only together with its word, because 256 alone is in half of all files. In "i18n",
    // so do the letters.
    const isPart = compounds.size > 0 && isPieceOfName(word, text)
    const stemVariants = isPart ? [] : [{ hash: hashTerm(stem), weight: 1 }]
    const otherVariants = [...compounds].map((form) => ({ hash: hashTerm(form), weight: COMPOUND_WEIGHT }))
    return { word, stem, weight, forms: [stem, ...compounds], variants: [...stemVariants, ...otherVariants] }
  })
}

/**
 * True if a word is a number, or a single letter beside a number, that occurs in the text only as part of a name,
 * according to the rules of the tokenizer.
 */
function isPieceOfName(word: string, text: string): boolean {
  const isLetterOfName = () => new RegExp(`(?<!\\p{L})${word}\\p{N}|\\p{N}${word}(?!\\p{L})`, "iu").test(text)
  if (!/^\p{N}+$/u.test(word) && !(/^[a-z]$/u.test(word) && isLetterOfName())) return false
  const alone = new RegExp(`(?<![\\p{L}\\p{M}\\p{N}_])${word}(?![\\p{L}\\p{M}\\p{N}_])`, "iu")
  return !alone.test(text)
}

/**
 * Number of distinct words of a query that are not searched for, because the query has more than MAX_QUERY_TERMS words.
 */
export function wordsLeftOut(text: string): number {
  const content = words(text).filter((word) => !STOP_WORDS.has(word))
  return Math.max(0, new Set(content.map(termOf)).size - MAX_QUERY_TERMS)
}

/**
 * Maximum number of words, because term masks are 32-bit integers. Further words hardly change the ranking of a long
 * question.
 */
export const MAX_QUERY_TERMS = 24

/**
 * Weight of a compound or a form without accents, which is weaker evidence than the word itself. Fitted with the
 * ranker.
 */
const COMPOUND_WEIGHT = 0.7

/** A passage, with those of its words that are searched for (`kept`). */
type PassageWords = Passage & { readonly kept: readonly string[] }

type Term = {
  readonly word: string
  readonly stem: string
  readonly weight: number
  readonly compounds: Set<string>
}

type StemOf = (word: string) => string

/** Caches the results of a function, because a long text contains the same words many times. */
function cachedStems(stemOf: StemOf): StemOf {
  const stems = new Map<string, string>()
  return (word) => {
    let stem = stems.get(word)
    if (stem === undefined) {
      stem = stemOf(word)
      stems.set(word, stem)
    }
    return stem
  }
}

/** Each stem once, with the highest weight among the passages that contain it. */
function distinctStems(passages: readonly PassageWords[], stemOf: StemOf): Map<string, Term> {
  const terms = new Map<string, Term>()
  for (const { kept, weight } of passages) {
    for (const word of kept) {
      const stem = stemOf(word)
      const earlier = terms.get(stem)
      if (earlier === undefined) terms.set(stem, { word, stem, weight, compounds: new Set() })
      else if (earlier.weight < weight) terms.set(stem, { ...earlier, weight })
    }
  }
  return terms
}

/** The best terms, at most MAX_QUERY_TERMS, in their original order. */
function bestTerms(terms: Map<string, Term>, rarity: WordChoice["rarity"]): Map<string, Term> {
  if (terms.size <= MAX_QUERY_TERMS) return terms
  const value = (term: Term) => term.weight * (rarity?.(hashTerm(term.stem)) ?? 1)
  const rated = Array.from(terms.values(), (term, at) => ({ term, at, value: value(term) }))
  rated.sort((a, b) => b.value - a.value || a.at - b.at)
  const best = rated.slice(0, MAX_QUERY_TERMS).sort((a, b) => a.at - b.at)
  return new Map(best.map(({ term }) => [term.stem, term]))
}

/** Adds to the terms their forms without accents and the compounds that they may be part of. */
function attachCompounds(terms: Map<string, Term>, { text, kept }: PassageWords, stemOf: StemOf): void {
  for (const word of kept) {
    if (!terms.has(stemOf(word))) continue
    const plain = folded(word)
    if (plain !== word) attach(terms, [word], plain, stemOf)
  }
  attachNeighbours(terms, kept, stemOf)
  attachIdentifiers(terms, text, stemOf)
}

/** Adds the compounds of two and three neighbouring words, so that "web socket" also finds websocket. */
function attachNeighbours(terms: Map<string, Term>, kept: readonly string[], stemOf: StemOf): void {
  const isTerm = kept.map((word) => terms.has(stemOf(word)))
  for (const size of [2, 3]) {
    for (let i = 0; i + size <= kept.length; i++) {
      // Only compounds that contain a selected term are added, because in a long text most words are not selected.
      if (!isTerm[i] && !isTerm[i + 1] && (size === 2 || !isTerm[i + 2])) continue
      const group = kept.slice(i, i + size)
      if (!group.some(isUnspaced)) attach(terms, group, group.join(""), stemOf)
    }
  }
}

/** Adds the compound of each identifier in the query, including its stop words: getbyid for getById. */
function attachIdentifiers(terms: Map<string, Term>, text: string, stemOf: StemOf): void {
  for (const identifier of text.match(/[\p{L}\p{N}\p{M}_-]+/gu) ?? []) {
    if (ONE_WORD.test(identifier)) continue
    const parts = words(identifier)
    if (parts.length > 1 && !parts.some(isUnspaced)) attach(terms, parts, parts.join(""), stemOf)
  }
}

const ONE_WORD = /^(?:[A-Z]?[a-z]+|[A-Z]+|\d+)$/

/** Adds a compound to the terms of its words, as far as these are searched for. */
function attach(terms: Map<string, Term>, group: readonly string[], compound: string, stemOf: StemOf): void {
  const groupTerms = group.flatMap((word) => terms.get(stemOf(word)) ?? [])
  if (groupTerms.length === 0) return
  const root = termOf(compound)
  for (const term of groupTerms) if (term.stem !== root) term.compounds.add(root)
}
