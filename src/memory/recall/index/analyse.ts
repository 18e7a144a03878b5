/*
 * Analyses an entry for the recall index: splits the text into passages of whole sentences, and determines the terms
 * of each passage, of the topic and the tags, the terms of its date and author, and flags such as "contains a
 * number".
 */

import type { Entry, EntrySource } from "../../entries/entry.ts"
import { analyseTerms } from "../terms.ts"

/** Increase with every change to the analysis; results of another version are computed again. */
export const ANALYSIS_VERSION = 3

/** A passage; its terms are indices into the entry's `terms`. */
export type AnalysedPassage = TextWindow & {
  /** The terms of the words, in the order of the text. */
  readonly inOrder: ArrayLike<number>
  /** Other forms of these words, by which they are found as well. */
  readonly besides: ArrayLike<number>
}

/** The terms of an entry, and which of them occur in each passage, the topic and the tags. */
export type AnalysedEntry = {
  /** The entry's distinct terms; all other lists contain indices into this one. */
  readonly terms: readonly string[]
  readonly passages: readonly AnalysedPassage[]
  /** Terms counted for every passage: the day it was recorded and the author. */
  readonly appended: ArrayLike<number>
  readonly topic: ArrayLike<number>
  /** Terms of the tags and of the entities that are named explicitly. */
  readonly tags: ArrayLike<number>
  readonly flags: number
}

/** Bit flags: the entry ends with a question mark, contains a date or time, contains a number. */
export const IS_QUESTION = 1
export const HAS_DATE = 2
export const HAS_NUMBER = 4
/** The entry contains I, we or a similar pronoun. */
export const HAS_FIRST_PERSON = 8

export function analyse(document: RecallDocument): AnalysedEntry {
  const { text } = document
  const places = new Map<string, number>()
  const placesOf = (terms: readonly string[]) => terms.map((term) => termIndex(places, term))
  const passages = passagesOf(text).map(({ start, end }) => {
    const { inOrder, besides } = analyseTerms(text.slice(start, end))
    return { start, end, inOrder: placesOf(inOrder), besides: placesOf(besides) }
  })
  const appended = new Set([...dayTerms(document.recordedAt), ...analyseTerms(document.author ?? "").inOrder])
  return {
    passages,
    appended: placesOf([...appended]),
    topic: placesOf(allTerms(document.topic)),
    tags: placesOf(allTerms([...document.tags, ...document.entities].join(" "))),
    flags: flagsOf(text),
    terms: [...places.keys()],
  }
}

function termIndex(places: Map<string, number>, term: string): number {
  let place = places.get(term)
  if (place === undefined) {
    place = places.size
    places.set(term, place)
  }
  return place
}

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
function sentencesOf(text: string): TextWindow[] {
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
> & { readonly source: Pick<EntrySource, "path"> | null } // biome-ignore format: a list of names

/** A range of a text, in UTF-16 code units. */
export type TextWindow = { readonly start: number; readonly end: number }
