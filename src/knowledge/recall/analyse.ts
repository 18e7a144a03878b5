import type { RecallDocument, TextWindow } from "./document.ts"
import { passagesOf } from "./passages.ts"
import { termsOf } from "./terms.ts"

/** Grows with every change of how entries are taken apart; what another version did is done anew. */
export const ANALYSIS_VERSION = 3

/** A passage by its terms' places in the entry's list of them. */
export type AnalysedPassage = TextWindow & {
  readonly inOrder: ArrayLike<number>
  readonly besides: ArrayLike<number>
}

/** An entry taken apart. */
export type Analysed = {
  /** Each once; all else are places in this list. */
  readonly terms: readonly string[]
  readonly passages: readonly AnalysedPassage[]
  /** Found in every passage: the day it was said, by whom. */
  readonly appended: ArrayLike<number>
  readonly topic: ArrayLike<number>
  /** And of the entities that are mentioned expressly. */
  readonly tags: ArrayLike<number>
  readonly flags: number
}

/** The entry asks; says when; says how many. */
export const IS_QUESTION = 1
export const HAS_DATE = 2
export const HAS_NUMBER = 4
/** It says I or we. */
export const TELLS_OF_SELF = 8

export function analyse(document: RecallDocument): Analysed {
  const { text } = document
  const places = new Map<string, number>()
  const placesOf = (terms: readonly string[]) => terms.map((term) => placeOf(places, term))
  const passages = passagesOf(text).map(({ start, end }) => {
    const { inOrder, besides } = termsOf(text.slice(start, end))
    return { start, end, inOrder: placesOf(inOrder), besides: placesOf(besides) }
  })
  const appended = new Set([...dayTerms(document.recordedAt), ...termsOf(document.author ?? "").inOrder])
  return {
    passages,
    appended: placesOf([...appended]),
    topic: placesOf(allTerms(document.topic)),
    tags: placesOf(allTerms([...document.tags, ...document.entities].join(" "))),
    flags: flagsOf(text),
    terms: [...places.keys()],
  }
}

function placeOf(places: Map<string, number>, term: string): number {
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
    (SELF.test(text) ? TELLS_OF_SELF : 0)
  )
}

function allTerms(text: string): string[] {
  const { inOrder, besides } = termsOf(text)
  return [...new Set([...inOrder, ...besides])]
}

/** 2023-05-08 as a question would say it: 8 May 2023. */
function dayTerms(date: string): string[] {
  const [, year, month, day] = DAY.exec(date) ?? []
  if (year === undefined) return []
  const terms = [year]
  if (month !== undefined) terms.push(...termsOf(MONTHS[Number(month) - 1] ?? "").inOrder)
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
