/*
 * Reads a question for recall: its terms with their other forms (compounds, parts of identifiers, corrected
 * spellings), the rarity of each, and facts about the question: dates, amounts, the author and the category that it
 * names.
 */

import { inverseDocumentFrequency } from "../../base/ranking.ts"
import { words } from "../../text/terms/identifiers.ts"
import { isFunctionWord } from "../../text/terms/stop-words.ts"
import { isUnspaced } from "../../text/terms/unicode.ts"
import { instancesAsked } from "./categories.ts"
import type { Corpus } from "./index/corpus.ts"
import { namedDates } from "./named-dates.ts"
import { analyseTerms, termOfWord } from "./terms.ts"

/** A word of the question as a search term. */
export type QueryTerm = {
  readonly term: string
  readonly idf: number
  /** Stored terms that count as this word, each with its weight. */
  readonly variants: readonly Variant[]
}

type Variant = { readonly number: number; readonly weight: number }

export type RecallQuestion = {
  readonly text: string
  readonly terms: readonly QueryTerm[]
  /** Sum of the idf of all terms: the score of an entry that contains all of them. */
  readonly idfSum: number
  readonly asksWhen: boolean
  readonly asksHowMany: boolean
  /** True when the question asks what the agent said. */
  readonly asksAgent: boolean
  /** Days, months and years that the question names. */
  readonly dates: ReturnType<typeof namedDates>
  /** Stored terms of things in a category that the question names («sports»: tennis, yoga …). */
  readonly instances: readonly number[]
  /** The author that the question names; null when it names none or several. */
  readonly author: string | null
}

export function readQuestion(text: string, corpus: Corpus): RecallQuestion {
  const forms = questionTerms(text)
  let respelled = 0
  const terms = [...forms.values()].map((form) => {
    const query = queryTerm(corpus, form)
    if (query.variants.length > 0 || !isSpelled(form.word) || ++respelled > MAX_RESPELLED) return query
    return respelledTerm(corpus, form)
  })
  // If the question has more than MAX_TERMS words, those that no entry contains are dropped first. They have the
  // highest idf and would otherwise displace words that entries contain.
  const isLong = terms.length > MAX_TERMS
  const isFound = ({ variants }: QueryTerm) => Number(isLong && variants.length > 0)
  terms.sort((a, b) => isFound(b) - isFound(a) || b.idf - a.idf)
  const kept = terms.slice(0, MAX_TERMS).sort((a, b) => b.idf - a.idf)
  return {
    text,
    terms: kept,
    idfSum: kept.reduce((sum, { idf }) => sum + idf, 0),
    asksWhen: WHEN.test(text),
    asksHowMany: HOW_MANY.test(text),
    asksAgent: AGENT_SAID.test(text),
    dates: namedDates(text),
    instances: instancesAsked(text, corpus),
    author: namedAuthor(text, corpus),
  }
}

// Max words of a question that are used, the rarest ones: a pasted prompt has hundreds of words, and the rarest show
// its subject.
const MAX_TERMS = 32
/** Weight of a compound that contains the word, which is weaker evidence than the word itself. */
const COMPOUND_WEIGHT = 0.7
/** A single character of a pair of Chinese characters can be a word of its own. */
const CHARACTER_WEIGHT = 0.3
/** Weight of a stored word at an edit distance of one from the word. */
const RESPELLED_WEIGHT = 0.7
/** Only the first unknown words of a question are treated as misspelt, because each costs about 1 ms. */
const MAX_RESPELLED = 100
/** Min length of a word whose spelling is corrected; shorter words are one edit away from too many other words. */
const MIN_RESPELLED_LENGTH = 4
/** Max length of a word whose spelling is corrected; longer runs of letters are data. */
const MAX_RESPELLED_LENGTH = 24

const WHEN =
  /\b(?:when|what (?:date|day|month|year|time)|which (?:date|day|month|year)|how long ago|since|until)\b|什么时候|几[月号日点]|何时|哪[天年]/i
const HOW_MANY =
  /\bhow (?:many|much|long|often|old|far|big|tall|large)\b|\bwhat (?:number|amount|percentage)\b|多少|几[个岁次]/i
const AGENT_SAID =
  /\byou (?:\w+ )?(?:said|told|mentioned|suggested|recommended|provided|gave|listed|explained|shared|advised|proposed|wrote|described)\b|\bdid you (?:say|tell|mention|suggest|recommend|provide|give|list|explain|share|advise|propose|write|describe)\b|\byour (?:advice|answer|list|explanation|suggestion|recommendation)|\bremind me (?:what|of|about|which|how|who|where)\b/i

type WordForms = {
  readonly word: string
  readonly term: string
  readonly weights: Map<string, number>
}

function isSpelled(word: string): boolean {
  return word.length >= MIN_RESPELLED_LENGTH && word.length <= MAX_RESPELLED_LENGTH && /^[a-z]+$/.test(word)
}

/** The question's words as terms, each with its other forms and their weights. */
function questionTerms(text: string): Map<string, WordForms> {
  const all = words(text)
  const contentWords = all.filter((word) => !isFunctionWord(word))
  const kept = contentWords.length > 0 ? contentWords : all
  const forms = new Map<string, WordForms>()
  for (const word of kept) {
    const term = termOfWord(word)
    if (!forms.has(term)) forms.set(term, { word, term, weights: new Map([[term, 1]]) })
  }
  // Two successive words are also searched as one: "web socket" finds websocket.
  for (let i = 0; i + 1 < kept.length; i++) {
    const pair = kept.slice(i, i + 2)
    if (!pair.some(isUnspaced)) attach(forms, pair, [termOfWord(pair.join(""))])
  }
  for (const run of text.match(RUNS) ?? [])
    if (!PLAIN.test(run)) attach(forms, words(run), analyseTerms(run).besides)
  return forms
}

const RUNS = /[\p{L}\p{N}\p{M}_-]+/gu
/**
 * A run without inner capitals, separators or letters beyond ASCII: its words alone find it, so no other
 * forms are needed.
 */
const PLAIN = /^[A-Z]*[a-z0-9]*$/

function attach(
  forms: ReadonlyMap<string, WordForms>,
  parts: readonly string[],
  others: readonly string[],
): void {
  const characters = new Set(others.filter(isUnspaced))
  const compounds = new Set(others.filter((other) => !isUnspaced(other)))
  const few = [...compounds].slice(0, MAX_COMPOUNDS)
  for (const part of new Set(parts)) {
    const of = forms.get(termOfWord(part))?.weights
    if (of === undefined) continue
    const own = [...part].filter((character) => characters.has(character))
    for (const other of own) if (!of.has(other)) of.set(other, CHARACTER_WEIGHT)
    for (const other of few) if (!of.has(other)) of.set(other, COMPOUND_WEIGHT)
  }
}

/** Maximum of compounds per run: a name has one or two forms, and a run with more is data. */
const MAX_COMPOUNDS = 8

function queryTerm(corpus: Corpus, { term, weights }: WordForms): QueryTerm {
  const variants: Variant[] = []
  for (const [form, weight] of weights) {
    const number = corpus.dictionary.find(form)
    if (number >= 0 && corpus.holders(number) > 0) variants.push({ number, weight })
  }
  return withRarity(corpus, term, variants)
}

/** The query term of a word that no entry contains, matched by stored words at an edit distance of one. */
function respelledTerm(corpus: Corpus, { word, term }: WordForms): QueryTerm {
  const held = [...corpus.dictionary.respelled(word)].filter((number) => corpus.holders(number) > 0)
  const variants = held.map((number) => ({ number, weight: RESPELLED_WEIGHT }))
  return withRarity(corpus, term, variants)
}

function withRarity(corpus: Corpus, term: string, variants: readonly Variant[]): QueryTerm {
  const exact = variants.filter(({ weight }) => weight === 1)
  const holders = (exact.length > 0 ? exact : variants).map(({ number }) => corpus.holders(number))
  return { term, variants, idf: inverseDocumentFrequency(corpus.size, Math.max(0, ...holders)) }
}

/** The only author whose first name occurs in the question; null when none or several do. */
function namedAuthor(text: string, corpus: Corpus): string | null {
  if (corpus.authors.size < 2) return null
  const named = corpus.authorsAmong(new Set(words(text)))
  return named.length === 1 ? named[0]! : null
}
