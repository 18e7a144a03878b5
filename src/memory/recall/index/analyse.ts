/*
 * Analyses an entry for the recall index: splits the text into passages of whole sentences, and determines the terms
 * of each passage, of the topic and the tags, the terms of its date and author, and flags such as "contains a
 * number". `Postings` and `Labels` say which passages and entries have a term.
 */

import { firstAtLeast, GrowingU32 } from "../../../base/index.ts"
import type { Entry, EntrySource } from "../../entries/entry.ts"
import { inZone } from "../../entries/times.ts"
import { analyseTerms } from "../question.ts"
import type { Dictionary } from "./dictionary.ts"
import { copyNumbers, listAt, type NumberLists, type Numbers } from "./frozen.ts"

/** Increase with every change to the analysis; results of another version are computed again. */
export const ANALYSIS_VERSION = 3

/** Bit flags: the entry ends with a question mark, contains a date or time, contains a number. */
export const IS_QUESTION = 1
export const HAS_DATE = 2
export const HAS_NUMBER = 4
/** The entry contains I, we or a similar pronoun. */
export const HAS_FIRST_PERSON = 8

function flagsOf(text: string): number {
  return (
    (QUESTION.test(text) ? IS_QUESTION : 0) |
    (DATE.test(text) ? HAS_DATE : 0) |
    (NUMBER.test(text) ? HAS_NUMBER : 0) |
    (SELF.test(text) ? HAS_FIRST_PERSON : 0)
  )
}

function allTerms(text: string): string[] {
  const { inOrder, besides } = analyseTerms(text)
  return [...new Set([...inOrder, ...besides])]
}

/** The words a question would use for a date: 2023-05-08 becomes 2023, May, 8. */
function dayTerms(date: string): string[] {
  const [, year, month, day] = DAY.exec(date) ?? []
  if (year === undefined) return []
  const terms = [year]
  if (month !== undefined) terms.push(...analyseTerms(MONTHS[Number(month) - 1] ?? "").inOrder)
  if (day !== undefined) terms.push(String(Number(day)))
  return terms
}

const DAY = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?/
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
)

const QUESTION = /[?？]\s*["')\]]*\s*$/
const MONTH_NAMES =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
const WEEK_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
const SPANS = "day|night|morning|evening|afternoon|week|weekend|month|year|summer|winter|spring|fall|autumn"
const COUNTS = "a|an|one|two|three|four|five|six|seven|eight|nine|ten|few|couple of|several|\\d+"
const DATE = new RegExp(
  [
    `\\b(?:${MONTH_NAMES}|${WEEK_DAYS})\\b`,
    "\\bMay \\d|\\d May\\b|\\b(?:19|20)\\d\\d\\b|\\b\\d{1,2}[/.]\\d{1,2}[/.]\\d{2,4}\\b",
    "\\b(?:yesterday|today|tonight|tomorrow|recently|earlier|lately)\\b",
    `\\b(?:last|next|this|past|previous) (?:${SPANS}|${WEEK_DAYS}|few)`,
    `\\b(?:${COUNTS}) (?:minute|hour|${SPANS}|decade)s?\\b`,
    "[昨今明前后去]天|[上下本]周|[上下]个?月|[去今明]年|\\d[年月日号]",
  ].join("|"),
  "i",
)
const NUMBER =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|once|twice|couple|several|half)\b|[一二三四五六七八九十百千万两]+[个岁次年月天块元人]/i
const SELF = /\b(?:I|my|me|we|our|us)\b|[我咱]/i

/**
 * Splits a text into passages of whole sentences, about `PASSAGE_WORDS` words each. Returns at least one
 * passage, also for an empty text.
 */
export function passagesOf(text: string): TextWindow[] {
  const passages: TextWindow[] = []
  let start = 0
  let end = 0
  let size = 0
  for (const sentence of sentencesOf(text)) {
    const words = countWords(text, sentence)
    if (size > 0 && size + words > PASSAGE_WORDS * 1.25) {
      passages.push({ start, end })
      start = sentence.start
      size = 0
    }
    end = sentence.end
    size += words
    if (size >= PASSAGE_WORDS) {
      passages.push({ start, end })
      start = end
      size = 0
    }
  }
  if (size > 0 || passages.length === 0) passages.push({ start, end: text.length })
  return passages
}

/** Sentences in order; concatenated they are the text. An overlong run is cut at a space where possible. */
export function sentencesOf(text: string): TextWindow[] {
  const sentences: TextWindow[] = []
  let start = 0
  for (const { index, 0: mark } of text.matchAll(ENDS)) {
    start = pushSentence(sentences, text, start, index + mark.length)
  }
  pushSentence(sentences, text, start, text.length)
  return sentences
}

/**
 * Words per passage. 60 gave the best results among 30, 60, 90 and whole entries: a passage is long enough for one
 * statement and too short for two.
 */
const PASSAGE_WORDS = 60
/** Max length of a sentence in UTF-16 code units. A longer run has no punctuation or is not prose. */
const MAX_SENTENCE = 500
// The lookbehind makes a match start at the first mark only; otherwise a long row of marks takes quadratic
// time.
const ENDS = /(?<![.!?])[.!?]+["')\]]*\s+|[。！？]+|\n+/g

const WIDE = /[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uac00-\ud7af]/g

function pushSentence(sentences: TextWindow[], text: string, from: number, end: number): number {
  let start = from
  while (end - start > MAX_SENTENCE) {
    const space = text.lastIndexOf(" ", start + MAX_SENTENCE)
    let cut = space > start + MAX_SENTENCE / 2 ? space + 1 : start + MAX_SENTENCE
    // Do not cut inside a surrogate pair.
    if ((text.charCodeAt(cut) & 0xfc00) === 0xdc00) cut++
    sentences.push({ start, end: cut })
    start = cut
  }
  if (end > start) sentences.push({ start, end })
  return end
}

/** Counts words by spaces; in scripts without spaces two characters count as a word. */
function countWords(text: string, { start, end }: TextWindow): number {
  const sentence = text.slice(start, end)
  const spaced = sentence.match(/\S+/g)?.length ?? 0
  return spaced + ((sentence.match(WIDE)?.length ?? 0) >> 1)
}

/** The fields of an entry that recall uses. */
export type RecallDocument = Pick<
  Entry,
  | "id" | "project" | "topic" | "kind" | "text" | "tags" | "author" | "role" | "session" | "ordinal"
  | "entities" | "metadata" | "validFrom" | "validUntil" | "recordedAt" | "supersededAt" | "key"
> & { readonly source: Pick<EntrySource, "path"> | null; readonly zone?: string | null } // biome-ignore format: a list of names

/** A range of a text, in UTF-16 code units. */
export type TextWindow = { readonly start: number; readonly end: number }

/** An analysed entry: terms are numbers of the dictionary. */
export type PreparedEntry = {
  readonly flags: number
  readonly passages: readonly PreparedPassage[]
  /** Terms of the text, in order. */
  readonly tokens: Uint32Array
  /** The distinct terms that find the entry. */
  readonly terms: Uint32Array
  readonly topic: Uint32Array
  readonly tags: Uint32Array
}

type PreparedPassage = {
  readonly window: TextWindow
  /** Number of words, including appended ones. */
  readonly words: number
  /** By term the value of `postingOf`. */
  readonly postings: ReadonlyMap<number, number>
}

/** Analyses an entry; new terms are added to the dictionary. */
export function prepareEntry(document: RecallDocument, dictionary: Dictionary): PreparedEntry {
  const { text, recordedAt, zone, author, topic, tags, entities } = document
  const numbersOf = (terms: Iterable<string>) => Array.from(terms, (term) => dictionary.add(term))
  const found = passagesOf(text).map((window) => {
    const { inOrder, besides } = analyseTerms(text.slice(window.start, window.end))
    return { window, inOrder: numbersOf(inOrder), besides: numbersOf(besides) }
  })
  const appended = numbersOf(
    new Set([...dayTerms(inZone(recordedAt, zone)), ...analyseTerms(author ?? "").inOrder]),
  )
  const passages = found.map(({ window, inOrder, besides }) => ({
    ...{ window, words: inOrder.length + appended.length },
    postings: postingsOf([...inOrder, ...besides], appended),
  }))
  return {
    flags: flagsOf(text),
    passages,
    tokens: Uint32Array.from(found.flatMap(({ inOrder }) => inOrder)),
    terms: Uint32Array.from(new Set(passages.flatMap(({ postings }) => [...postings.keys()]))),
    topic: Uint32Array.from(numbersOf(allTerms(topic))),
    tags: Uint32Array.from(numbersOf(allTerms([...tags, ...entities].join(" ")))),
  }
}

/** The postings of a passage with these terms, and with those that are appended to it. */
function postingsOf(found: readonly number[], appended: readonly number[]): Map<number, number> {
  const times = new Map<number, number>()
  for (const term of found) times.set(term, (times.get(term) ?? 0) + 1)
  for (const term of appended) if (!times.has(term)) times.set(term, 0)
  for (const [term, count] of times) times.set(term, postingOf(count, appended.includes(term)))
  return times
}

/**
 * Lists of numbers by term. A list of a stored image is used in place until it changes; then the term gets a list of its
 * own.
 */
class TermLists {
  readonly #frozen: NumberLists
  readonly #own: (GrowingU32 | undefined)[] = []

  constructor(frozen: NumberLists = NO_LISTS) {
    this.#frozen = frozen
  }

  /** The term's numbers in the order in which they were added, to be read before the next change. */
  of(term: number): Uint32Array {
    return this.#own[term]?.view() ?? asWide(this.#stored(term))
  }

  /** Number of the term's numbers. */
  countOf(term: number): number {
    return this.#own[term]?.length ?? this.#stored(term).length
  }

  #stored(term: number): Numbers {
    return term + 1 < this.#frozen.ends.length ? listAt(this.#frozen, term) : EMPTY
  }

  push(term: number, number: number): void {
    this.#listOf(term).push(number)
  }

  /** Removes the numbers at the places [from, to) of the term's list. */
  cut(term: number, from: number, to: number): void {
    const list = this.#listOf(term)
    list.view().copyWithin(from, to)
    list.length -= to - from
  }

  #listOf(term: number): GrowingU32 {
    const known = this.#own[term]
    if (known !== undefined) return known
    const numbers = this.of(term)
    const list = new GrowingU32(Math.max(MIN_ROOM, numbers.length + 1))
    list.values.set(numbers)
    list.length = numbers.length
    // Every index in between is filled, because arrays with holes are slower.
    while (this.#own.length <= term) this.#own.push(undefined)
    this.#own[term] = list
    return list
  }
}

/** Numbers for which a term's own list has room: most terms occur a few times. */
const MIN_ROOM = 4

/** Loops over lists see one type of array only, because others make them slower. */
function asWide(numbers: Numbers): Uint32Array {
  return numbers instanceof Uint32Array ? numbers : Uint32Array.from(numbers)
}

const EMPTY = new Uint32Array(0)
const NO_LISTS: NumberLists = { ends: new Uint32Array(1), numbers: EMPTY }

/** The slots that have a term in their topic, or in their tags; those of one term are in no particular order. */
export class Labels extends TermLists {
  /** `terms` must be distinct. */
  add(terms: Numbers, slot: number): void {
    for (const term of terms) this.push(term, slot)
  }

  remove(terms: Numbers, slot: number): void {
    for (const term of terms) {
      const place = this.of(term).indexOf(slot)
      if (place >= 0) this.cut(term, place, place + 1)
    }
  }
}

/**
 * The passages that contain a term, in their order, and how often. A posting is a 32-bit number: the passage, then the
 * number of occurrences in its text (up to 63), then one bit that is set when the term is appended to the passage.
 */
export class Postings extends TermLists {
  /** Number of entries that contain the term, by term. */
  readonly #holders: number[]

  constructor({ lists, holders }: FrozenPostings = NO_POSTINGS) {
    super(lists)
    this.#holders = copyNumbers(holders)
  }

  /** `posting`: the value returned by `postingOf`. */
  add(term: number, passage: number, posting: number): void {
    this.push(term, passage * 128 + posting)
  }

  addHolder(term: number): void {
    while (this.#holders.length <= term) this.#holders.push(0)
    this.#holders[term]!++
  }

  /** Removes an entry's postings of a term. Its passages are [from, to). */
  remove(term: number, from: number, to: number): void {
    const postings = this.of(term)
    this.cut(term, firstAtLeast(postings, from * 128), firstAtLeast(postings, to * 128))
    this.#holders[term]!--
  }

  holders(term: number): number {
    return this.#holders[term] ?? 0
  }
}

export type FrozenPostings = { readonly lists: NumberLists; readonly holders: Uint32Array }

const NO_POSTINGS: FrozenPostings = { lists: NO_LISTS, holders: EMPTY }

/**
 * The part of a posting without its passage: the number of occurrences, and whether the term comes from fields that are
 * appended to the text.
 */
function postingOf(times: number, isAppended: boolean): number {
  return Math.min(times, 63) * 2 + (isAppended ? 1 : 0)
}

export function passageOf(posting: number): number {
  return posting >>> 7
}

/** Occurrences of the term in the passage's own text, up to 63. */
export function timesOf(posting: number): number {
  return (posting & 127) >> 1
}

/**
 * Occurrences of the term in the passage's text, plus one if it is among the terms that count for every passage of the
 * entry: those of its author and of the day on which it was recorded.
 */
export function timesInAll(posting: number): number {
  return ((posting & 127) >> 1) + (posting & 1)
}
