/*
 * Reads a question for recall: its terms with their other forms (compounds, parts of identifiers, corrected
 * spellings), the rarity of each, and facts about the question: dates, amounts and the author that it names.
 */

import { inverseDocumentFrequency } from "../../base/index.ts"
import { ASCII, folded, isFunctionWord, isUnspaced, loneCharacters, termOf, words } from "../../text/index.ts"
import type { Corpus } from "./index/corpus.ts"

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
  /** Days, months and years that the question names, and the days that it means by words such as "last week". */
  readonly dates: readonly (NamedDate | Days)[]
  /** The author that the question names; null when it names none or several. */
  readonly author: string | null
}

/** `days`: what the question means by words that depend on the day on which it is asked. */
export function readQuestion(text: string, corpus: Corpus, days: readonly Days[] = []): RecallQuestion {
  const forms = questionTerms(text)
  let respelled = 0
  const terms = [...forms.values()].map((form) => {
    const query = queryTerm(corpus, form)
    if (query.variants.length > 0 || !SPELLED.test(form.word) || ++respelled > MAX_RESPELLED) return query
    const like = corpus.dictionary.respelled(form.word).filter((number) => corpus.holders(number) > 0)
    const variants = like.map((number) => ({ number, weight: RESPELLED_WEIGHT }))
    return withRarity(corpus, form.term, variants)
  })
  const named = corpus.authors.size < 2 ? [] : corpus.authorsAmong(new Set(words(text)))
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
    dates: [...namedDates(text), ...days],
    author: named.length === 1 ? named[0]! : null,
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
/** Only the first unknown words of a question are treated as misspelt, because each costs about 0.2 ms. */
const MAX_RESPELLED = 100
/**
 * Words whose spelling is corrected. Shorter ones are one edit away from too many other words; longer runs of letters are
 * data.
 */
const SPELLED = /^[a-z]{4,24}$/

const WHEN =
  /\b(?:when|what (?:date|day|month|year|time)|which (?:date|day|month|year)|how long ago|since|until)\b|什么时候|几[月号日点]|何时|哪[天年]/i
const HOW_MANY =
  /\bhow (?:many|much|long|often|old|far|big|tall|large)\b|\bwhat (?:number|amount|percentage)\b|多少|几[个岁次]/i
const AGENT_SAID =
  /\byou (?:\w+ )?(?:said|told|mentioned|suggested|recommended|provided|gave|listed|explained|shared|advised|proposed|wrote|described)\b|\bdid you (?:say|tell|mention|suggest|recommend|provide|give|list|explain|share|advise|propose|write|describe)\b|\byour (?:advice|answer|list|explanation|suggestion|recommendation)|\bremind me (?:what|of|about|which|how|who|where)\b/i

type WordForms = { readonly word: string; readonly term: string; readonly weights: Map<string, number> }

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

function attach(forms: ReadonlyMap<string, WordForms>, parts: readonly string[], others: readonly string[]) {
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

function withRarity(corpus: Corpus, term: string, variants: readonly Variant[]): QueryTerm {
  const exact = variants.filter(({ weight }) => weight === 1)
  const holders = (exact.length > 0 ? exact : variants).map(({ number }) => corpus.holders(number))
  return { term, variants, idf: inverseDocumentFrequency(corpus.size, Math.max(0, ...holders)) }
}
/**
 * The terms of a text: `inOrder` one per word, and `besides` terms that find it too: whole identifiers, words without
 * their accents, single Han characters. Questions and entries are analysed the same way.
 */
export function analyseTerms(text: string) {
  const found = words(text)
  const inOrder = found.map(termOfWord)
  const besides = identifiers(text)
  if (!ASCII.test(text)) besides.push(...otherForms(text, found))
  return { inOrder, besides }
}

/** The term of a word; cached, because conversations repeat the same words. */
export function termOfWord(word: string): string {
  let term = termCache.get(word)
  if (term === undefined) {
    // A question asks "did she buy" and the answer says "I bought"; a stemmer does not map both to the same term.
    term = termOf(LEADING_ZERO.test(word) ? word.slice(1) : (IRREGULAR.get(word) ?? word))
    if (termCache.size >= MAX_CACHED) termCache.clear()
    termCache.set(word, term)
  }
  return term
}

const termCache = new Map<string, string>()
const MAX_CACHED = 50_000

/** Matches a number with a leading zero, such as 05 in a date; sentences write 5. */
const LEADING_ZERO = /^0\d$/

// Words with a dash, an underscore or an inner capital. The lookbehind makes matching start at a word's first
// character only; otherwise a long run of letters takes quadratic time.
const IDENTIFIERS =
  /(?<![A-Za-z0-9])(?:[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+|[A-Za-z0-9]*[a-z][A-Z][A-Za-z0-9]*)/g

function identifiers(text: string): string[] {
  const found: string[] = []
  for (const name of text.match(IDENTIFIERS) ?? []) {
    const parts = words(name)
    if (parts.length > 1 && parts.some((part) => part > "a")) found.push(termOfWord(parts.join("")))
  }
  return found
}

function otherForms(text: string, found: readonly string[]): string[] {
  const forms = loneCharacters(text)
  for (const word of found) {
    const plain = isUnspaced(word) ? word : folded(word)
    if (plain !== word && plain !== "") forms.push(termOfWord(plain))
  }
  return forms
}

/** First and last day, YYYY-MM-DD; `end` is null for a single day. */
export type Days = { readonly start: string; readonly end: string | null }

/** A day, month or year that a question names; null for parts that it leaves open. */
type NamedDate = { readonly year: number | null; readonly month: number | null; readonly day: number | null }

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
)
const MONTH = `(?<month>${MONTHS.map((name) => (name.length > 4 ? `${name.slice(0, 3)}(?:${name.slice(3)})?` : name)).join("|")})\\.?`
const YEAR = String.raw`(?:,?\s+(?:of\s+)?(?<year>(?:19|20)\d\d))?`
const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?`

/**
 * «8 May 2023», «May 8th», «May 2023», «in May», «2023-05-08», «2023»: each form is tried where the previous one does
 * not match.
 */
const FORMS = [
  new RegExp(String.raw`\b${DAY}\s+(?:of\s+)?${MONTH}\b${YEAR}`, "gi"),
  new RegExp(String.raw`\b${MONTH}\s+${DAY}\b${YEAR}`, "gi"),
  /\b(?<year>(?:19|20)\d\d)-(?<number>\d\d)(?:-(?<day>\d\d))?\b/g,
  new RegExp(
    String.raw`\b(?:in|of|during|since|by|from|until|early|mid|late|last|this)\s+${MONTH}\b${YEAR}`,
    "gi",
  ),
  new RegExp(String.raw`\b${MONTH},?\s+(?:of\s+)?(?<year>(?:19|20)\d\d)\b`, "gi"),
  /\b(?:in|of|during|since|by|from|until|early|mid|late)\s+(?<year>(?:19|20)\d\d)\b/gi,
]

/** The dates that a question names, the most exact form of each. */
export function namedDates(text: string): readonly NamedDate[] {
  let left = text
  const found: NamedDate[] = []
  for (const form of FORMS) {
    left = left.replace(form, (match, ...args) => {
      const { year, month, number, day } = args.at(-1) as Readonly<Record<string, string | undefined>>
      const at =
        month === undefined
          ? Number(number)
          : MONTHS.findIndex((name) => name.startsWith(month.toLowerCase().slice(0, 3))) + 1
      found.push({
        year: year === undefined ? null : Number(year),
        month: month === undefined && number === undefined ? null : at,
        day: day === undefined ? null : Number(day),
      })
      return " ".repeat(match.length)
    })
  }
  return found.slice(0, 8)
}

/** Number of days after a named day in which people still tell what happened on it. */
const TOLD_WITHIN_DAYS = 3

const DAY_MS = 24 * 3_600_000

/**
 * True when an entry recorded at this time may be about one of the dates: it was recorded on that date, or within
 * TOLD_WITHIN_DAYS after a named day, by the clock of the time's own zone.
 */
export function isAtDate(dates: RecallQuestion["dates"], recordedAt: string): boolean {
  const time = new Date(`${recordedAt.slice(0, 19)}Z`)
  return dates.some((date) => {
    if ("start" in date)
      return date.start <= recordedAt.slice(0, 10) && recordedAt.slice(0, 10) <= (date.end ?? date.start)
    const { year, month, day } = date
    if (day !== null && month !== null) {
      const named = Date.UTC(year ?? time.getUTCFullYear(), month - 1, day)
      const days = (time.getTime() - named) / DAY_MS
      return days >= 0 && days < TOLD_WITHIN_DAYS + 1
    }
    return (
      (year === null || time.getUTCFullYear() === year) &&
      (month === null || time.getUTCMonth() + 1 === month)
    )
  })
}

// A base form, then its other forms, up to a comma. Forms that are more often another word are left out; saw,
// left, found and felt are listed all the same.
const TABLE = `
  be am is are was were been being, become became, begin began begun, bend bent, bite bit bitten,
  blow blew blown, break broke broken, bring brought, build built, burn burnt, buy bought, catch caught,
  choose chose chosen, come came, deal dealt, dig dug, do did does done, draw drew drawn, dream dreamt,
  drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought,
  find found, fly flew flown, forget forgot forgotten, forgive forgave forgiven, freeze froze frozen,
  get got gotten, give gave given, go went gone goes, grow grew grown, hang hung, have had has, hear heard,
  hide hid hidden, hold held, keep kept, know knew known, lay laid, lead led, learn learnt, leave left,
  lend lent, light lit, lose lost, make made, mean meant, meet met, pay paid, ride rode ridden, ring rang rung,
  rise rose risen, run ran, say said, see saw seen, sell sold, send sent, shake shook shaken, shine shone,
  shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept,
  speak spoke spoken, spend spent, spin spun, stand stood, steal stole stolen, stick stuck, strike struck,
  swear swore sworn, sweep swept, swim swam swum, swing swung, take took taken, teach taught, tear tore torn,
  tell told, think thought, throw threw thrown, understand understood, wake woke woken, wear wore worn,
  weep wept, win won, write wrote written, child children, foot feet, goose geese, knife knives, leaf leaves,
  life lives, man men, mouse mice, person people, shelf shelves, tooth teeth, wife wives, wolf wolves,
  woman women
`

const IRREGULAR = new Map(
  TABLE.split(",").flatMap((row) => {
    const [base, ...others] = row.trim().split(/\s+/)
    return others.map((other) => [other, base!] as const)
  }),
)
