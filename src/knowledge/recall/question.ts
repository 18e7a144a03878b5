import { termOf } from "../../text/abbreviations.ts"
import { words } from "../../text/identifiers.ts"
import { isUnspaced } from "../../text/unicode.ts"
import type { Corpus } from "./corpus.ts"
import { isStopWord } from "./stop-words.ts"
import { termsOf } from "./terms.ts"

/** A word of the question. */
export type QueryTerm = {
  readonly term: string
  readonly idf: number
  /** Terms of the store that count as it, and how much. */
  readonly variants: readonly { readonly number: number; readonly weight: number }[]
}

export type Question = {
  readonly text: string
  readonly terms: readonly QueryTerm[]
  readonly idfSum: number
  readonly asksWhen: boolean
  readonly asksHowMany: boolean
  /** The one author it names. */
  readonly author: string | null
}

export function readQuestion(text: string, corpus: Corpus): Question {
  const terms = queryTerms(text, corpus)
  return {
    text,
    terms,
    idfSum: terms.reduce((sum, { idf }) => sum + idf, 0),
    asksWhen: WHEN.test(text),
    asksHowMany: HOW_MANY.test(text),
    author: namedAuthor(text, corpus),
  }
}

/** Robertson's, never below zero. */
export function idfOf(holders: number, entries: number): number {
  return Math.log(1 + (entries - holders + 0.5) / (holders + 0.5))
}

const WHEN =
  /\b(?:when|what (?:date|day|month|year|time)|which (?:date|day|month|year)|how long ago|since|until)\b|什么时候|几[月号日点]|何时|哪[天年]/i
const HOW_MANY =
  /\bhow (?:many|much|long|often|old|far|big|tall|large)\b|\bwhat (?:number|amount|percentage)\b|多少|几[个岁次]/i
const MOST_TERMS = 32
const GLUED_WEIGHT = 0.7

function queryTerms(text: string, corpus: Corpus): QueryTerm[] {
  const all = words(text)
  const telling = all.filter((word) => !isStopWord(word))
  const kept = telling.length > 0 ? telling : all
  const { besides } = termsOf(text)
  const distinct = new Map<string, Map<string, number>>()
  for (const word of kept) {
    const term = termsOf(word).inOrder[0] ?? termOf(word)
    if (!distinct.has(term)) distinct.set(term, new Map([[term, 1]]))
  }
  // "web socket" also means websocket, and the other way: what is written as one counts for its parts.
  for (let i = 0; i + 1 < kept.length; i++) {
    const pair = [kept[i]!, kept[i + 1]!]
    if (!pair.some(isUnspaced)) glue(distinct, pair, pair.join(""))
  }
  for (const extra of besides) {
    const parts = kept.filter((word) => extra.includes(termOf(word)))
    for (const part of parts.length > 0 ? parts : kept.slice(0, 1)) {
      distinct.get(termsOf(part).inOrder[0]!)?.set(extra, GLUED_WEIGHT)
    }
  }
  const entries = corpus.size
  const terms = [...distinct].map(([term, forms]) => {
    const variants = [...forms].flatMap(([form, weight]) => {
      const number = corpus.dictionary.find(form)
      return number < 0 || corpus.postings.holders(number) === 0 ? [] : [{ number, weight }]
    })
    const holders = Math.max(
      0,
      ...variants.filter(({ weight }) => weight === 1).map(({ number }) => corpus.postings.holders(number)),
    )
    return { term, variants, idf: idfOf(holders, entries) }
  })
  return terms.length <= MOST_TERMS ? terms : terms.sort((a, b) => b.idf - a.idf).slice(0, MOST_TERMS)
}

function glue(distinct: Map<string, Map<string, number>>, parts: readonly string[], whole: string): void {
  const compound = termOf(whole)
  for (const part of parts) {
    const term = termsOf(part).inOrder[0]
    if (term !== undefined && term !== compound) distinct.get(term)?.set(compound, GLUED_WEIGHT)
  }
}

/** An author is named where all words of the name stand in the question, or the first one does. */
function namedAuthor(text: string, corpus: Corpus): string | null {
  if (corpus.authors.size < 2) return null
  const said = new Set(words(text))
  const named = [...corpus.authors.keys()].filter((author) => {
    const [first] = words(author)
    return first !== undefined && said.has(first)
  })
  return named.length === 1 ? named[0]! : null
}
