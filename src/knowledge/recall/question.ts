import { isFunctionWord } from "../../text/function-words.ts"
import { words } from "../../text/identifiers.ts"
import { isUnspaced } from "../../text/unicode.ts"
import type { Corpus } from "./corpus.ts"
import { termOfWord, termsOf } from "./terms.ts"

/** A word of the question. */
export type QueryTerm = {
  readonly term: string
  readonly idf: number
  /** Terms of the store that count as it, and how much. */
  readonly variants: readonly Variant[]
}

type Variant = { readonly number: number; readonly weight: number }

export type Question = {
  readonly text: string
  readonly terms: readonly QueryTerm[]
  /** Of all terms; what covers them all knows everything that is asked. */
  readonly idfSum: number
  readonly asksWhen: boolean
  readonly asksHowMany: boolean
  /** It asks what the machine said. */
  readonly asksAgent: boolean
  /** The one author it names. */
  readonly author: string | null
}

export function readQuestion(text: string, corpus: Corpus): Question {
  const forms = formsOf(text)
  const terms = [...forms.values()].map((form) => queryTerm(corpus, form))
  terms.sort((a, b) => b.idf - a.idf)
  const kept = terms.slice(0, MOST_TERMS)
  return {
    text,
    terms: kept,
    idfSum: kept.reduce((sum, { idf }) => sum + idf, 0),
    asksWhen: WHEN.test(text),
    asksHowMany: HOW_MANY.test(text),
    asksAgent: AGENT_SAID.test(text),
    author: namedAuthor(text, corpus),
  }
}

/** Robertson's, never below zero. */
export function idfOf(holders: number, entries: number): number {
  return Math.log(1 + (entries - holders + 0.5) / (holders + 0.5))
}

// A prompt that is pasted as a question has hundreds; the rarest say what it is about.
const MOST_TERMS = 32
/** A compound is weaker evidence than the word itself, and so is what one slip of the pen makes of it. */
const GLUED_WEIGHT = 0.7
/** One of a pair of Chinese characters may be a word of its own. */
const CHARACTER_WEIGHT = 0.3
const RESPELLED_WEIGHT = 0.7
/** Shorter words have neighbours everywhere. */
const SHORTEST_RESPELLED = 4
/** Longer ones are data. */
const LONGEST_RESPELLED = 24

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
  return word.length >= SHORTEST_RESPELLED && word.length <= LONGEST_RESPELLED && /^[a-z]+$/.test(word)
}

/** The question's words as terms, each with its other forms and their weights. */
function formsOf(text: string): Map<string, WordForms> {
  const all = words(text)
  const telling = all.filter((word) => !isFunctionWord(word))
  const kept = telling.length > 0 ? telling : all
  const forms = new Map<string, WordForms>()
  for (const word of kept) {
    const term = termOfWord(word)
    if (!forms.has(term)) forms.set(term, { word, term, weights: new Map([[term, 1]]) })
  }
  // "web socket" also means websocket.
  for (let i = 0; i + 1 < kept.length; i++) {
    const pair = kept.slice(i, i + 2)
    if (!pair.some(isUnspaced)) attach(forms, pair, termOfWord(pair.join("")))
  }
  for (const run of text.match(RUNS) ?? [])
    if (!PLAIN.test(run)) attach(forms, words(run), ...termsOf(run).besides)
  return forms
}

const RUNS = /[\p{L}\p{N}\p{M}_-]+/gu
/** Found by its words alone. */
const PLAIN = /^[A-Z]*[a-z0-9]*$/

function attach(
  forms: ReadonlyMap<string, WordForms>,
  parts: readonly string[],
  ...others: readonly string[]
): void {
  for (const part of parts) {
    const of = forms.get(termOfWord(part))?.weights
    for (const other of others) {
      const isOfPart = !isUnspaced(other) || part.includes(other)
      if (of === undefined || of.has(other) || !isOfPart) continue
      of.set(other, isUnspaced(other) ? CHARACTER_WEIGHT : GLUED_WEIGHT)
    }
  }
}

function queryTerm(corpus: Corpus, { word, term, weights }: WordForms): QueryTerm {
  const { dictionary } = corpus
  const isHeld = (number: number) => corpus.holders(number) > 0
  const variants: Variant[] = []
  for (const [form, weight] of weights) {
    const number = dictionary.find(form)
    if (number >= 0 && isHeld(number)) variants.push({ number, weight })
  }
  if (variants.length === 0 && isSpelled(word)) {
    for (const number of dictionary.respelled(word))
      if (isHeld(number)) variants.push({ number, weight: RESPELLED_WEIGHT })
  }
  const exact = variants.filter(({ weight }) => weight === 1)
  const holders = (exact.length > 0 ? exact : variants).map(({ number }) => corpus.holders(number))
  return { term, variants, idf: idfOf(Math.max(0, ...holders), corpus.size) }
}

/** An author is named where the first word of the name stands in the question; only if no other's does. */
function namedAuthor(text: string, corpus: Corpus): string | null {
  if (corpus.authors.size < 2) return null
  const said = new Set(words(text))
  const named = [...corpus.authors.keys()].filter((author) => said.has(words(author)[0] ?? ""))
  return named.length === 1 ? named[0]! : null
}
