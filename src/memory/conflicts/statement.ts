/*
 * Turns a hit into a statement about the question: splits the text into sentences, chooses the one that shares most
 * with the question, and computes its facts (stems, values, clauses, owners, tense). Analyses are cached by entry.
 */

import { sentenceSpans, type TextSpan } from "../../text/index.ts"
import type { Entry } from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"
import { isPastForm } from "../recall/question.ts"
import { ADDITION, blankQuotations, type Clause, clausesOf, FIRST_PERSON, REPLACEMENT } from "./clauses.ts"
import {
  contentStems,
  createVocabulary,
  type Rarity,
  raritySum,
  readSentence,
  type Sentence,
  sentenceTokens,
  type Vocabulary,
} from "./sentences.ts"
import { sentenceValues, type Value, type ValueType } from "./values.ts"

/** A found entry, as the ranking returns it. */
export type EntryHit = {
  readonly entry: Entry
  readonly score: number
  /** The part of a long text that matched; absent: the whole text. */
  readonly window?: TextSpan | null
}

/** The statement of a hit about the question: its best sentence and the facts about it. */
export type Statement = SentenceFacts & {
  readonly entry: Entry
  readonly score: number
  readonly rank: number
  /** Time in ms since 1970 from which the statement is valid. */
  readonly at: number
  /** Sum of the rarity of the sentence's stems. */
  readonly rarity: number
  /** Stems of the question found in the sentence or its neighbours. */
  readonly asked: ReadonlySet<string>
  /** Tags and entities of the statement's entry, normalised. */
  readonly labels: ReadonlySet<string>
  readonly clauses: readonly Clause[]
}

/**
 * A sentence that contains a value of the requested type is chosen even if it has this much less rarity than the best
 * one.
 */
const RARITY_TOLERANCE = 0.5

export function readStatement(
  { entry, score, window }: EntryHit,
  rank: number,
  asking: QuestionFacts,
): Statement {
  const reading = readEntry(entry, window ?? null)
  asking.words.register(reading.words)
  const best = bestSentence(reading, asking)
  const facts = reading.factsOf(best)
  return {
    ...facts,
    entry,
    score,
    rank,
    at: statedAt(entry),
    rarity: raritySum(facts.stemSet, asking.words),
    asked: askedAround(reading, best, asking),
    labels: reading.labels,
    clauses: reading.sentences.flatMap(({ stemSet }, at) =>
      stemSet.isDisjointFrom(asking.asked) ? [] : reading.clausesOf(at),
    ),
  }
}

/** Stems of the question found in the sentence or its neighbours. */
function askedAround({ sentences }: TextAnalysis, at: number, { asked }: QuestionFacts): Set<string> {
  const found = new Set<string>()
  const near = [sentences[at], sentences[at - 1], sentences[at + 1]]
  for (const one of asked) if (near.some((sentence) => sentence?.stemSet.has(one))) found.add(one)
  return found
}

/**
 * The time from which the entry is valid, if it states one. Otherwise the time when it was recorded or, if it has a key, when
 * it was last revised.
 */
function statedAt({ validFrom, key, revisedAt, recordedAt }: Entry): number {
  return Date.parse(validFrom ?? (key === null ? recordedAt : revisedAt))
}

/**
 * Index of the sentence that contains most of the question's rarity; among about equal ones, one with a value
 * of a type asked for.
 */
function bestSentence(
  { sentences, valuesOf }: TextAnalysis,
  { question, asked, words }: QuestionFacts,
): number {
  if (sentences.length < 2) return 0
  const scores = sentences.map(({ stemSet }) => {
    let score = 0
    for (const one of asked) if (stemSet.has(one)) score += words.rarityOf(one)
    return score
  })
  const max = Math.max(...scores, 0)
  const near = scores.flatMap((score, at) => (score > 0 && score >= max - RARITY_TOLERANCE ? [at] : []))
  const telling = near.find((at) => valuesOf(at).some(({ type }) => question.wants.has(type)))
  return telling ?? Math.max(0, scores.indexOf(max))
}

/** The part of the analysis that does not depend on the question; each part is computed on first use. */
type TextAnalysis = {
  readonly sentences: readonly Sentence[]
  /** Tags and entities, normalised. */
  readonly labels: ReadonlySet<string>
  /** The first word of each stem. */
  readonly words: ReadonlyMap<string, string>
  readonly valuesOf: (sentence: number) => readonly Value[]
  readonly clausesOf: (sentence: number) => readonly Clause[]
  readonly factsOf: (sentence: number) => SentenceFacts
}

/** Maximum characters read of a text; of a longer text, they begin `BEFORE` characters before the window. */
const MAX_CHARACTERS = 2_000

const BEFORE = 200
const FENCED = /^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gm

/** Cache by entry object, because the same entries are returned often; a changed entry is a new object. */
const analyses = new WeakMap<Entry, TextAnalysis>()

/** Reads an entry; a long one only in and around the window. */
function readEntry(entry: Entry, window: TextSpan | null): TextAnalysis {
  const isLong = entry.text.length > MAX_CHARACTERS
  const found = isLong ? undefined : analyses.get(entry)
  if (found !== undefined) return found
  const from = isLong ? Math.max(0, (window?.start ?? 0) - BEFORE) : 0
  // Blocks of code are ignored, because they state nothing that the sentences around them do not state.
  const prose = entry.text.replace(FENCED, blanked)
  const reading = analyseText(prose.slice(from, from + MAX_CHARACTERS), entry)
  if (!isLong) analyses.set(entry, reading)
  return reading
}

function analyseText(text: string, { tags, entities }: Entry): TextAnalysis {
  const words = new Map<string, string>()
  const sentences = sentenceSpans(text).map(({ start, end }) => readSentence(text.slice(start, end), words))
  const sentence = (at: number) => sentences[at] ?? EMPTY
  const values = once((at) => sentenceValues(sentence(at).text))
  return {
    sentences,
    labels: new Set([...tags, ...entities].map(comparable)),
    words,
    valuesOf: values,
    clausesOf: once((at) => clausesOf(sentence(at))),
    factsOf: once((at) => factsOf(sentence(at), values(at))),
  }
}

const EMPTY: Sentence = readSentence("")

function once<T>(make: (at: number) => T): (at: number) => T {
  const made: T[] = []
  return (at) => {
    made[at] ??= make(at)
    return made[at]
  }
}

/** Spaces of the same length, so that offsets stay valid. */
function blanked(code: string): string {
  return `\n\n${" ".repeat(Math.max(0, code.length - 2))}`
}

/** The facts of one sentence, independent of the question. */
type SentenceFacts = {
  readonly sentence: string
  /** The sentence in lower case. */
  readonly lower: string
  readonly tokens: () => readonly string[]
  /** Stems of the sentence without function words and values, in order. */
  readonly stems: readonly string[]
  readonly stemSet: ReadonlySet<string>
  /** Owners: stems of the words before 's. */
  readonly possessors: ReadonlySet<string>
  readonly values: readonly Value[]
  readonly valuesByType: ReadonlyMap<ValueType, readonly Value[]>
  readonly replaces: boolean
  readonly adds: boolean
  readonly asks: boolean
  readonly isFirstPerson: boolean
  /** Describes an event, not a state. */
  readonly isEvent: boolean
}

export function factsOf(read: Sentence, values: readonly Value[]): SentenceFacts {
  const sentence = read.text
  const lower = sentence.toLowerCase()
  const unquotedText = blankQuotations(sentence)
  return {
    sentence,
    lower,
    tokens: sentenceTokens(sentence),
    ...stemsBesideValues(read, values),
    possessors: possessorsIn(sentence),
    values,
    valuesByType: Map.groupBy(values, ({ type }) => type),
    replaces: REPLACEMENT.test(unquotedText),
    adds: ADDITION.test(unquotedText),
    asks: /\?["'”’)]*$/.test(sentence) && sentence.length < 80,
    isEvent: isEvent(sentence, lower),
    isFirstPerson: FIRST_PERSON.test(sentence),
  }
}

/** True when the sentence has a past verb and none in the present. */
function isEvent(sentence: string, lower: string): boolean {
  if (PRESENT.test(sentence)) return false
  return PAST.test(lower) || (lower.match(/[a-z]+/g) ?? []).some(isPastForm)
}

/** Past verbs; the lookbehind excludes adjectives such as "a shared" or "for hosted". */
const PAST =
  /(?<!\b(?:an?|the|of|for|in|on|with|by|to|as|at|and|or|from|our|its|their|uses?|needs?)\s)\b(?!(?:speed|hundred|indeed|embed|exceed|proceed|breed)\b)[a-z]{3,}ed\b/

const PRESENT =
  /\b(?:is|are|am|has|have|do|does|will|can|must|should|may|\w+['’](?:s|re|m|ve|ll)|don['’]t|doesn['’]t|isn['’]t)\b/i

function stemsBesideValues(
  read: Sentence,
  values: readonly Value[],
): Pick<SentenceFacts, "stems" | "stemSet"> {
  if (values.every(({ type }) => type === "name")) return { stems: read.stems, stemSet: read.stemSet }
  const stems = contentStems(withoutValues(read.text, values))
  return { stems, stemSet: new Set(stems) }
}

function possessorsIn(sentence: string): ReadonlySet<string> {
  if (!POSSESSION.test(sentence)) return NOBODY
  const owners = sentence.matchAll(/([\p{L}\d]+)['’]s\b/gu)
  return new Set([...owners].flatMap((match) => contentStems(match[1]!)))
}

const POSSESSION = /['’]s/
const NOBODY: ReadonlySet<string> = new Set()

function withoutValues(sentence: string, values: readonly Value[]): string {
  let rest = ""
  let from = 0
  for (const { start, end, type } of values) {
    if (type === "name") continue
    rest += `${sentence.slice(from, start)} `
    from = end
  }
  return rest + sentence.slice(from)
}

/** The question's data that every statement is compared with. */
export type QuestionFacts = {
  readonly question: ClassifiedQuestion
  /** Stems of the question's content words. */
  readonly asked: ReadonlySet<string>
  readonly words: Vocabulary
  /** Sum of the rarity of the question's stems. */
  readonly rarity: number
}

export function readQuestionContext(query: string, rarity: Rarity): QuestionFacts {
  const words = createVocabulary(rarity)
  const firstWords = new Map<string, string>()
  const asked = new Set(contentStems(query, firstWords))
  words.register(firstWords)
  return { question: classifyQuestion(query), asked, words, rarity: raritySum(asked, words) }
}

/** The kind of a question, judged by its words. */
type ClassifiedQuestion = {
  readonly text: string
  /** The value types that would answer it. */
  readonly wants: ReadonlySet<ValueType>
  /** Asks about the past, or compares two moments: the order of old and new entries is not changed. */
  readonly isPast: boolean
  readonly isYesNo: boolean
  /** Asks for several things, so that several answers are right at the same time. */
  readonly isList: boolean
}

export function classifyQuestion(text: string): ClassifiedQuestion {
  const isPast = ASKS_PAST.test(text) || BEFORE_SOMEBODY.test(text) || COMPARES_MOMENTS.test(text)
  return {
    text,
    wants: wantedTypes(text),
    isPast,
    isYesNo: YES_NO.test(text),
    isList: LIST.test(text) || OF_TWO.test(text) || MANY.test(text),
  }
}

// "before deploying" asks about an order. "before" asks about the past at the end of a question, or in front of a time
// or a change.
const ASKS_PAST =
  /\b(?:used to|formerly|previous(?:ly)?|originally|initially|at first|in the past|back then|back in|as of|historical(?:ly)?|history|old(?:er)? (?:\w+ )?(?:one|version|value|name|address|job|city|port|setting|limit|default|way)|no longer|anymore|earlier|former|before (?:the|that|this|we|i|he|she|they|it|\w+day|v?\d|(?:january|february|march|april|may|june|july|august|september|october|november|december))|(?:first|started out|begin|began) (?:with|as|using)|in (?:\w+ )?(?:19|20)\d\d|last (?:year|month|week)|(?:years?|months?|weeks?) ago|replaced|superseded|how (?:has|have|did) .* chang\w+|what changed|changes? (?:over|since)|compared (?:to|with)|evol\w+)\b|\bbefore\s*[?.!]*\s*$|\bsince when\b|\b(?:was|were|did)\b.*\b(?:old|use to)\b/i

const BEFORE_SOMEBODY = /\bbefore (?:the )?\p{Lu}/u

// "How much did it improve?", "how many days between the two?": the older entry is half of the answer.
const COMPARES_MOMENTS =
  /\bbetween\b.{1,200}\band\b|\bhow (?:much|far|many|has|have|did)\b.{1,200}\b(?:improv|increas|decreas|grow|grew|drop|fell|progress|rais|reduc|rise|rose)\w*\b|\bfrom\b.{1,80}\bto (?:[a-z]+ )?(?:\d|january|february|march|april|may|june|july|august|september|october|november|december)/i

const YES_NO =
  /^\s*(?:(?:so|and|but|ok|okay|well|hey),?\s+)?(?:is|are|was|were|am|do|does|did|have|has|had|can|could|will|would|should|may|must|isn't|aren't|don't|doesn't|didn't|haven't|hasn't)\b/i

const LIST = /\b(?:list|all|which of|what are|who are|every|everything|each|order of|summar\w+|overview)\b/i

// "Which Node do Vite and Prettier need?" has two answers.
const OF_TWO = /\bboth\b|\b\p{Lu}[\p{L}\d.-]* and (?:(?:by|of|for|in|the) )*\p{Lu}/u

// Questions with several answers that are right at the same time: "What books does she like?"
const MANY =
  /\b(?:what|which) (?:[a-z-]+ ){0,2}(?!is |was |does |has )[a-z-]{2,}[^\Wsiu]s (?:do|does|did|has|have|are|were|can)\b/i

const WANTS: readonly (readonly [RegExp, readonly ValueType[]])[] = [
  [/\bhow (?:many|often|old|long|far|big|large|fast|tall|high|heavy|frequently)\b|\bnumber of\b|\bcount\b/i, ["number"]],
  [/\bhow much\b|\b(?:price|cost|budget|salary|fee|amount|rent|pay|paid|spend|spent|worth)\b/i, ["money", "number"]],
  [/\bwhen\b|\bwhat (?:date|day|month|year)\b|\b(?:deadline|date|due|scheduled|birthday)\b/i, ["date"]],
  [/\bwhat time\b|\bhow long\b|\b(?:duration|timeout|latency|response time|personal best|interval)\b/i, ["time", "number"]],
  [/\bversions?\b/i, ["version", "number"]],
  [/\b(?:ports?|limit|size|count|level|threshold|rate|score|target|goal|quota|capacity|maximum|minimum|percentage|accuracy|coverage|retries|attempts|workers|length|dimensions?|ttl|weight|speed|code)\b/i, ["number", "percent"]],
  [/\bpercent(?:age)?\b|\brate\b|\baccuracy\b|\bcoverage\b/i, ["percent"]],
  [/\b(?:who|whom|whose|where|which|what)\b/i, ["name"]],
  [/\b(?:enabled?|disabled?|turned (?:on|off)|allowed|supported|required|flag|switch(?:ed)? (?:on|off))\b/i, ["flag"]],
] // biome-ignore format: a table

function wantedTypes(text: string): ReadonlySet<ValueType> {
  return new Set(WANTS.flatMap(([pattern, types]) => (pattern.test(text) ? types : [])))
}
