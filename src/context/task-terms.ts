import { inverseDocumentFrequency } from "../base/index.ts"
import { headAndTail, passagesOf } from "../search/index.ts"
import {
  compoundOf,
  hashTerm,
  isFunctionWord,
  type QueryWord,
  queryTerms,
  STOP_WORDS,
  termOf,
  words,
} from "../text/index.ts"
import type { TermList, Terms } from "./pieces.ts"

/** Document frequencies of terms in an index, and its total number of documents. */
export type Rarity = {
  readonly documents: number
  estimate(hi: number, lo: number): number
}

/** A term of a task. */
export type TaskTerm = {
  /** Inverse document frequency in the project's index. */
  readonly idf: number
  /** Importance of its best passage, times 1 + ln of its number of occurrences. */
  readonly weight: number
  readonly inTitle: boolean
  /** True for an identifier of several words that the task writes as one: getUserById. */
  readonly isCompound: boolean
}

const IDENTIFIER = /[\p{L}\p{N}\p{M}_-]+/gu

/**
 * All words of a task that carry meaning. File ranking uses only 24 of them, because its masks have 32 bits; here
 * there is no limit.
 */
export class TaskTerms {
  readonly terms: readonly TaskTerm[]
  /** Sum of idf over the title's terms, without compounds. */
  readonly titleIdf: number
  readonly #byHash = new Map<number, number>()
  readonly #high: number[] = []
  /** The list that was compared last: the pieces of a file, which share one, are compared one after the other. */
  #last: { readonly list: TermList; readonly numbers: Uint16Array } | null = null

  constructor(task: string, rarity: Rarity) {
    const terms: TaskTerm[] = []
    for (const [term, { count, passageWeight, inTitle, isCompound }] of countedTerms(task)) {
      const hash = hashTerm(term)
      const [hi, lo] = [Number(hash >> 32n), Number(hash & 0xffffffffn)]
      const documentCount = rarity.estimate(hi, lo)
      if (documentCount === 0 || this.#byHash.has(lo)) continue
      this.#byHash.set(lo, terms.length)
      this.#high.push(hi)
      // The estimated document frequency may exceed the number of documents.
      const idf =
        documentCount > rarity.documents ? 0 : inverseDocumentFrequency(rarity.documents, documentCount)
      terms.push({ idf, weight: passageWeight * (1 + Math.log(count)), inTitle, isCompound })
    }
    this.terms = terms
    this.titleIdf = terms.reduce(
      (sum, { idf, inTitle, isCompound }) => sum + (inTitle && !isCompound ? idf : 0),
      0,
    )
  }

  /**
   * The number of occurrences of each of the task's terms in a text, by the term's index, in the order of the
   * first occurrences.
   */
  countedIn({ list, from, to }: Terms): Map<number, number> {
    const { positions } = list
    const numbers = this.#numbersIn(list)
    const counts = new Map<number, number>()
    for (let i = from; i < to; i++) {
      const number = numbers[positions[i]!]!
      if (number !== 0) counts.set(number - 1, (counts.get(number - 1) ?? 0) + 1)
    }
    return counts
  }

  /** For each term of a list, its index among the task's terms, plus 1; 0 for terms that the task does not have. */
  #numbersIn(list: TermList): Uint16Array {
    if (this.#last?.list !== list) {
      const { hi, lo } = list
      const numbers = Uint16Array.from(lo, (low, i) => {
        const at = this.#byHash.get(low)
        return at !== undefined && this.#high[at] === hi[i] ? at + 1 : 0
      })
      this.#last = { list, numbers }
    }
    return this.#last.numbers
  }
}

type TermCount = {
  count: number
  passageWeight: number
  readonly inTitle: boolean
  readonly isCompound: boolean
}

/** The terms of a task with their counts; the first passage is the title. */
function countedTerms(task: string): Map<string, TermCount> {
  const counted = new Map<string, TermCount>()
  for (const [i, { text: passage, weight }] of passagesOf(headAndTail(task)).entries()) {
    for (const { term, isCompound } of taskTermsIn(passage)) {
      const entry = counted.get(term)
      if (entry) {
        entry.count++
        entry.passageWeight = Math.max(entry.passageWeight, weight)
      } else if (counted.size < 512) {
        counted.set(term, { count: 1, passageWeight: weight, inTitle: i === 0, isCompound })
      }
    }
  }
  return counted
}

function taskTermsIn(text: string): { readonly term: string; readonly isCompound: boolean }[] {
  const terms: { term: string; isCompound: boolean }[] = []
  for (const [identifier] of text.matchAll(IDENTIFIER)) {
    const parts = words(identifier)
    for (const part of parts) {
      if (isFunctionWord(part) || STOP_WORDS.has(part)) continue
      terms.push({ term: termOf(part), isCompound: false })
    }
    if (parts.length > 1) terms.push({ term: compoundOf(identifier), isCompound: true })
  }
  return terms
}

/** Compares a task's words with lines of code: by their stems, with names split into words. */
export class QueryWords {
  readonly #words = new Map<string, string>()
  /** Results of `in` by text. They are cached, because the same place is rendered in several lengths. */
  readonly #matchesByText = new Map<string, ReadonlySet<string>>()

  constructor(query: string) {
    const all = queryTerms(query)
    const significant = all.filter(({ word }) => !isFunctionWord(word) && word !== "not")
    for (const each of significant.length === 0 ? all : significant) {
      for (const form of formsOf(each)) if (!this.#words.has(form)) this.#words.set(form, each.word)
    }
  }

  /** The words that occur in a text, as written in the query. */
  in(text: string): ReadonlySet<string> {
    const cached = this.#matchesByText.get(text)
    if (cached) return cached
    const matches = new Set<string>()
    for (const part of words(text)) {
      const word = this.#words.get(termOf(part))
      if (word !== undefined) matches.add(word)
    }
    this.#matchesByText.set(text, matches)
    return matches
  }

  /** True if a word of the query occurs in a text, which is read only up to the line with the first one. */
  has(text: string): boolean {
    return text.split("\n").some((line) => words(line).some((part) => this.#words.has(termOf(part))))
  }

  /**
   * The reason why a piece of code is shown, as text: the name it defines, else the words it contains or its similar
   * meaning.
   */
  why(text: string, name: string | null, as = "defines"): string {
    if (name !== null && this.in(name).size > 0) return `${as} ${name}`
    const matching = [...this.in(text)].slice(0, 4)
    return matching.length === 0 ? "near in meaning" : `matches ${matching.join(", ")}`
  }
}

/**
 * The forms of a word of the query. A number inside a name, such as the 20 of ERC20, counts only together with the rest
 * of the name.
 */
function formsOf({ word, forms }: QueryWord): readonly string[] {
  return forms.length > 1 && /^\p{N}+$/u.test(word) ? forms.slice(1) : forms
}
