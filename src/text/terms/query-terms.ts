import { termOf } from "./abbreviations.ts"
import { hashTerm } from "./hash.ts"
import { words } from "./identifiers.ts"
import { STOP_WORDS } from "./stop-words.ts"
import { folded, isUnspaced } from "./unicode.ts"

export type QueryWord = {
  /** The word as typed, in lower case. */
  readonly word: string
  readonly stem: string
  /** Every term that counts as this word: its stem, then compounds of it and its neighbours. */
  readonly forms: readonly string[]
  /**
   * Hashes that count as this word: its own with weight 1, then compounds that it may be part of and its form
   * without accents.
   */
  readonly variants: readonly { readonly hash: bigint; readonly weight: number }[]
}

/**
 * The words a query searches for, in order, each stem once. Stop words are left out unless nothing else remains or
 * `everyWord` is true.
 */
export function queryTerms(text: string, everyWord = false): QueryWord[] {
  const all = words(text)
  const content = all.filter((word) => !STOP_WORDS.has(word))
  const kept = content.length > 0 && !everyWord ? content : all
  const terms = distinctStems(kept)
  for (const word of kept) {
    const plain = folded(word)
    if (plain !== word) attach(terms, [word], plain)
  }
  attachNeighbours(terms, kept)
  attachIdentifiers(terms, text)
  return [...terms.values()].map(({ word, stem, compounds }) => {
    // In "sha256" the number counts only together with its word, because 256 alone is in half of all files.
    const isPart = compounds.size > 0 && isNumberOfName(word, text)
    const own = isPart ? [] : [{ hash: hashTerm(stem), weight: 1 }]
    const others = [...compounds].map((other) => ({ hash: hashTerm(other), weight: COMPOUND_WEIGHT }))
    return { word, stem, forms: [stem, ...compounds], variants: [...own, ...others] }
  })
}

/** True if a word is a number that occurs in the text only as part of a name, by the tokenizer's rules. */
function isNumberOfName(word: string, text: string): boolean {
  if (!/^\p{N}+$/u.test(word)) return false
  const alone = new RegExp(`(?<![\\p{L}\\p{M}\\p{N}_])${word}(?![\\p{L}\\p{M}\\p{N}_])`, "u")
  return !alone.test(text)
}

/** Number of distinct words of a query that are not searched for because it has more than MAX_QUERY_TERMS. */
export function wordsLeftOut(text: string): number {
  const content = words(text).filter((word) => !STOP_WORDS.has(word))
  return Math.max(0, new Set(content.map(termOf)).size - MAX_QUERY_TERMS)
}

/** Term masks are 32-bit integers, and further words hardly change the ranking of a long question. */
export const MAX_QUERY_TERMS = 24

/** Weight of a compound, which is weaker evidence than the word itself; fitted together with the ranker. */
const COMPOUND_WEIGHT = 0.7

type Term = { readonly word: string; readonly stem: string; readonly compounds: Set<string> }

function distinctStems(kept: readonly string[]): Map<string, Term> {
  const terms = new Map<string, Term>()
  for (const word of kept) {
    const root = termOf(word)
    if (!terms.has(root)) terms.set(root, { word, stem: root, compounds: new Set() })
    if (terms.size === MAX_QUERY_TERMS) break
  }
  return terms
}

/** Adds compounds of two and three neighbouring words: "web socket" also finds websocket. */
function attachNeighbours(terms: Map<string, Term>, kept: readonly string[]): void {
  for (const size of [2, 3]) {
    for (let i = 0; i + size <= kept.length; i++) {
      const group = kept.slice(i, i + size)
      if (!group.some(isUnspaced)) attach(terms, group, group.join(""))
    }
  }
}

/** Adds the compound of each identifier in the query, stop words included: getbyid for getById. */
function attachIdentifiers(terms: Map<string, Term>, text: string): void {
  for (const identifier of text.match(/[\p{L}\p{N}\p{M}_-]+/gu) ?? []) {
    const parts = words(identifier)
    if (parts.length > 1 && !parts.some(isUnspaced)) attach(terms, parts, parts.join(""))
  }
}

function attach(terms: Map<string, Term>, group: readonly string[], compound: string): void {
  const root = termOf(compound)
  for (const word of group) {
    const term = terms.get(termOf(word))
    if (term !== undefined && term.stem !== root) term.compounds.add(root)
  }
}
