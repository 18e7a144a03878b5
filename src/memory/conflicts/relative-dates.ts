import type { ParsedResult } from "chrono-node/en"

/** A time expression that depends on the date on which it was written. */
export type DateSpan = {
  /** The words as written, and their offset. */
  readonly text: string
  readonly at: number
  /** First and last day, YYYY-MM-DD; `end` is null for a single day. */
  readonly start: string
  readonly end: string | null
}

/**
 * Resolves "last week", "yesterday" or "on Tuesday" to dates, for display beside the text. `writtenAt`: when
 * the text was written, an ISO date or instant, read in UTC. A bare weekday or month is the last one before
 * that day, unless the sentence is about the future. Code, versions and plain numbers are ignored. The parser
 * is loaded only when a text contains such words (9 ms).
 */
export async function relativeDates(text: string, writtenAt: string): Promise<DateSpan[]> {
  if (!RELATIVE.test(text)) return []
  const { casual } = await import("chrono-node/en")
  const prose = text.replace(CODE, (code) => "_".repeat(code.length))
  const day = writtenAt.length === 10 ? writtenAt : new Date(writtenAt).toISOString().slice(0, 10)
  // Noon in the local time zone, so that neither its offset nor daylight saving time changes the day.
  const [year, month, date] = day.split("-").map(Number) as [number, number, number]
  const found = casual.parse(prose, new Date(year, month - 1, date, 12))
  return found.flatMap((result) => spanOf(result, prose, day)).filter(isFirstOfItsPlace)
}

const WEEKDAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
const MONTHS =
  "(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
const UNITS = "(?:day|week|weekend|month|quarter|year|decade|fortnight)s?"

const RELATIVE = new RegExp(
  `\\b(?:yesterday|today|tonight|tomorrow|ago|last|next|previous|past|coming|this|${WEEKDAYS}|${UNITS}|${MONTHS})\\b`,
  "i",
)

/** Code, addresses, paths and identifiers, which are no times. */
const CODE =
  /```[\s\S]*?(?:```|$)|`[^`\n]*`|\b\w+:\/\/\S+|(?<!\S)\S*[_\\/@#{}<>=]\S*|(?<![\w-])-*\w[\w-]*(?:\.\w[\w-]*)+\b|\b[A-Za-z_]*\d[\d_]*[A-Za-z]\w*\.\S*|\b[a-z]+[A-Z]\w*/g

/**
 * The span of a result that contains a relative word; weaker results of the parser (hours, numbers, bare
 * abbreviations) are dropped.
 */
function spanOf(result: ParsedResult, text: string, writtenAt: string): DateSpan[] {
  const words = result.text.toLowerCase()
  if (!RELATIVE.test(words) || isTooBare(words, text, result.index)) return []
  const start = result.start
  if (start.isCertain("year") && start.isCertain("day") && !DEICTIC.test(words)) return []
  const first = dayFrom(start)
  const period = periodOf(words, start.isCertain("day") || start.isCertain("weekday"))
  const days = result.end
    ? { start: first, end: dayFrom(result.end) }
    : directed(words, text, result.index, writtenAt, first, period)
  if (days.start > days.end) return []
  return [
    {
      // The parser includes the comma after a month.
      text: result.text.replace(/[\s,;]+$/, ""),
      at: result.index,
      start: days.start,
      end: days.end === days.start ? null : days.end,
    },
  ]
}

const DEICTIC = /\b(?:yesterday|today|tonight|tomorrow|ago|last|next|previous|past|coming|this)\b/

/**
 * True for words that are too ambiguous to be a time: "may" and "march" are also verbs, "second" is also a number. A
 * month alone counts only after a preposition.
 */
function isTooBare(words: string, text: string, at: number): boolean {
  if (/^(?:now|today|this|the|second|past|last|next)$/.test(words) && words !== "today") return true
  if (/^(?:mon|tue|tues|wed|thu|thurs|fri|sat|sun|mar|jan|jun|dec|sec)$/.test(words)) return true
  if (/\b(?:hour|minute|second|min|sec|hr)s?\b/.test(words)) return true
  if (!new RegExp(`^${MONTHS}$`).test(words)) return false
  const before = text.slice(Math.max(0, at - 12), at)
  return (
    !/\b(?:in|since|until|by|last|next|of|during|from|to|early|late|mid)[\s-]+$/i.test(before) ||
    /^(?:may|march)$/.test(text.slice(at, at + words.length))
  )
}

/** The length of the period that the words mean. */
function periodOf(words: string, isDay: boolean): Period {
  if (/\bweekends?\b/.test(words)) return "weekend"
  if (/\bdays?\b/.test(words) || new RegExp(WEEKDAYS).test(words)) return "day"
  if (/\b(?:weeks?|fortnights?)\b/.test(words)) return "week"
  if (/\bmonths?\b/.test(words)) return "month"
  if (/\bquarters?\b/.test(words)) return "quarter"
  if (/\byears?\b/.test(words)) return "year"
  if (/\bdecades?\b/.test(words)) return "decade"
  return isDay || /yesterday|today|tonight|tomorrow|morning|evening|night/.test(words) ? "day" : "month"
}

/** The period around the day found, moved to the past or the future when the words leave that open. */
function directed(words: string, text: string, at: number, writtenAt: string, found: string, period: Period) {
  // These periods are computed here, because the parser's weeks begin on Sunday.
  if (/\bthis (?:week|month|quarter|year|decade)\b/.test(words)) return periodAround(writtenAt, period)
  const around = periodAround(found, period)
  if (DEICTIC.test(words)) return around
  const ahead = looksAhead(text, at)
  const step = new RegExp(WEEKDAYS).test(words) ? 7 : "year"
  if (!ahead && around.start > writtenAt) return periodAround(shifted(found, step, -1), period)
  if (ahead && around.end < writtenAt) return periodAround(shifted(found, step, 1), period)
  return around
}

const AHEAD =
  /\b(?:will|going to|gonna|plan(?:s|ned|ning)?|due|by|until|upcoming|deadline|schedul\w+|expect\w*|hop(?:e|es|ing)|want|should|must|need to|remind\w*|look(?:ing)? forward|is on|are on|'ll|’ll|starting|ends?|before)\b[^.!?\n]{0,60}$/i
/** Phrases before the new date of an event that was postponed. */
const POSTPONED =
  /\b(?:slipped|postponed|delayed|rescheduled|extended|pushed)\b[^.!?\n]{0,50}\b(?:to|until|till)\s+(?:(?:the|early|late|mid)[\s-]+)?$/i

function looksAhead(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 80), at)
  return (
    (AHEAD.test(before) || POSTPONED.test(before)) && !/\b(?:was|were|had|did)\b[^.!?\n]{0,40}$/i.test(before)
  )
}

function dayFrom(time: ParsedResult["start"]): string {
  const [year, month, day] = (["year", "month", "day"] as const).map((part) => time.get(part) ?? 1)
  return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`
}

/** True unless an earlier span has the same words and date, so that each is shown once. */
function isFirstOfItsPlace(span: DateSpan, at: number, all: readonly DateSpan[]): boolean {
  return (
    all.findIndex(
      (other) => other.text.toLowerCase() === span.text.toLowerCase() && other.start === span.start,
    ) === at
  )
}

/** A calendar period. Weeks begin on Monday. */
type Period = "day" | "weekend" | "week" | "month" | "quarter" | "year" | "decade"

/** First and last day of the period that contains the day; for a weekend, that of the day's week. */
export function periodAround(day: string, period: Period): { readonly start: string; readonly end: string } {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number]
  const monday = date - ((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7)
  switch (period) {
    case "day":
      return span(year, month, date, year, month, date)
    case "weekend":
      return span(year, month, monday + 5, year, month, monday + 6)
    case "week":
      return span(year, month, monday, year, month, monday + 6)
    case "month":
      return span(year, month, 1, year, month + 1, 0)
    case "quarter": {
      const first = month - ((month - 1) % 3)
      return span(year, first, 1, year, first + 3, 0)
    }
    case "year":
      return span(year, 1, 1, year, 12, 31)
    case "decade":
      return span(year - (year % 10), 1, 1, year - (year % 10) + 9, 12, 31)
  }
}

/** The day `count` steps later: a step is a number of days, or a year. */
function shifted(day: string, step: number | "year", count: number): string {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number]
  return step === "year" ? isoDay(year + count, month, date) : isoDay(year, month, date + step * count)
}

function span(...[y1, m1, d1, y2, m2, d2]: [number, number, number, number, number, number]) {
  return { start: isoDay(y1, m1, d1), end: isoDay(y2, m2, d2) }
}

/** Days and months out of range roll over. */
function isoDay(year: number, month: number, day: number): string {
  const time = new Date(0)
  time.setUTCFullYear(year, month - 1, day)
  return time.toISOString().slice(0, 10)
}
