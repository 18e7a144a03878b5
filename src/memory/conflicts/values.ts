/*
 * Finds the values that a sentence states: dates, versions, numbers with units, flags and names. All patterns are
 * matched, then overlapping matches are resolved in favour of the more specific type.
 */

import { stem } from "../../text/index.ts"

export type ValueType = "money" | "percent" | "version" | "time" | "date" | "number" | "name" | "flag"

/** A value that a sentence states. Two sentences with different values of the same type may conflict. */
export type Value = {
  readonly type: ValueType
  /** Normalised: "4" equals "four" and "$4k" equals "$4,000". */
  readonly value: string
  /** For numbers, the stem of the counted noun; empty when no noun follows the number. */
  readonly unit: string
  readonly start: number
  readonly end: number
}

/** The values of a sentence, in order and without overlaps; if two overlap, the more specific type wins. */
export function sentenceValues(sentence: string): Value[] {
  const taken: Value[] = []
  const hasDigit = DIGIT.test(sentence)
  for (const { find, isOfDigits } of FINDERS) {
    if (isOfDigits && !hasDigit) continue
    for (const value of find(sentence)) {
      if (taken.every((other) => value.end <= other.start || value.start >= other.end)) taken.push(value)
    }
  }
  return taken.sort((a, b) => a.start - b.start)
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ")
const MONTH =
  "(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)"
const WEEKDAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
const NUMBER_WORDS: Readonly<Record<string, number>> = {
  zero: 0, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, eleven: 11,
  twelve: 12, thirteen: 13, fourteen: 14, fifteen: 15, sixteen: 16, seventeen: 17, eighteen: 18, nineteen: 19,
  twenty: 20, thirty: 30, forty: 40, fifty: 50, sixty: 60, seventy: 70, eighty: 80, ninety: 90, hundred: 100,
  once: 1, twice: 2, thrice: 3, dozen: 12,
} // biome-ignore format: a table
const MAGNITUDES: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  million: 1e6,
  bn: 1e9,
  billion: 1e9,
}

const [DAY, YEAR] = [86_400, 31_557_600]
/** Period in seconds. */
const FREQUENCIES: Readonly<Record<string, number>> = {
  hourly: 3600,
  daily: DAY,
  nightly: DAY,
  weekly: 7 * DAY,
  monthly: YEAR / 12,
  yearly: YEAR,
  annually: YEAR,
}

const NUMBER = "\\d+(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?"

type Finder = {
  readonly find: (sentence: string) => Value[]
  /** True when the pattern cannot match without a digit. */
  readonly isOfDigits: boolean
}

const DIGIT = /\d/

const FINDERS: readonly Finder[] = [
  ofDigits("money", new RegExp(`[$€£¥₹]\\s?(${NUMBER})\\s?(k|m|bn|thousand|million|billion)?\\b`, "gi"), (m) => amount(m[1]!, m[2])),
  ofDigits("money", new RegExp(`\\b(${NUMBER})\\s?(k|thousand|million)?\\s?(?:dollars|euros?|pounds|USD|EUR|GBP|CHF|bucks)\\b`, "gi"), (m) => amount(m[1]!, m[2])),
  ofDigits("percent", new RegExp(`\\b(${NUMBER})\\s?(?:%|percent\\b)`, "gi"), (m) => amount(m[1]!)),
  ofDigits("date", /\b\d{4}-\d{2}-\d{2}\b/g, (m) => m[0]),
  ofDigits("date", new RegExp(`\\b(${MONTH})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?(?:-\\d{1,2})?(?!\\d)(?:,?\\s+(\\d{4}))?`, "g"), (m) => monthAndDay(m[1]!, m[2]!)),
  ofDigits("date", new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?\\s+(?:of\\s+)?(${MONTH})\\b`, "g"), (m) => monthAndDay(m[2]!, m[1]!)),
  by("date", new RegExp(`\\b(?:(?:in|since|until|by|of|from|to|for)\\s+)(${MONTH})\\b`, "g"), (m) => monthOf(m[1]!)),
  by("date", new RegExp(`\\b${WEEKDAY}\\b`, "gi"), (m) => m[0].toLowerCase().replace(/s$/, "")),
  ofDigits("date", /\b(?<=(?:in|since|until|by|of|for)\s)(?:19|20)\d\d\b/gi, (m) => m[0]),
  ofDigits("date", /(?<![$€£#:./\d])\b(?:199\d|20[0-3]\d)\b(?![%.:/\d]|\s?[a-z]+s\b)/g, (m) => m[0]),
  ofDigits("date", /\bQ[1-4](?:\s+(?:19|20)\d\d)?\b/g, (m) => m[0]),
  by("number", /(?<=\b(?:after|for|in|within|every|takes?|lasts?|to)\s(?:an?\s)?)(second|minute|hour|day|week|month|year)\b/gi, (m) => String(DIMENSIONS.get(m[1]!.toLowerCase())![1]), "~time"),
  by("number", /\b(?:hour|dai|night|week|month|year|annual)ly\b/gi, (m) => String(FREQUENCIES[m[0].toLowerCase()]), "~time"),
  ofDigits("time", /\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b\.?)?/gi, (m) => m[0].toLowerCase().replace(/[\s.]/g, "")),
  ofDigits("time", /\b(\d{1,2})\s?([ap])\.?m\b\.?/gi, (m) => `${m[1]}:00${m[2]!.toLowerCase()}m`),
  ofDigits("version", /\b[vV]\d+(?:\.\d+)*(?:[-+][\w.]+)?\b|\b\d+\.\d+\.\d+(?:[-.+]\w+)*\b|(?<=\bversions?\s)\d+(?:\.\d+)*\b|(?<=\b[A-Z][\w.+#-]*\s)\d+\.\d+\b/g, (m) => m[0].toLowerCase().replace(/^v/, "")),
  { find: numbers, isOfDigits: false },
  { find: flagValues, isOfDigits: false },
  { find: nameValues, isOfDigits: false },
] // biome-ignore format: a table

function by(type: ValueType, pattern: RegExp, read: (match: RegExpMatchArray) => string, unit = ""): Finder {
  const find = (sentence: string) =>
    matchesOf(pattern, sentence).map((match) => ({
      type,
      value: read(match),
      unit,
      start: match.index,
      end: match.index + match[0].length,
    }))
  return { find, isOfDigits: false }
}

/**
 * All matches. `matchAll` would create a new pattern and an iterator each time, although most patterns match
 * nothing.
 */
function matchesOf(pattern: RegExp, sentence: string): readonly RegExpExecArray[] {
  pattern.lastIndex = 0
  let match = pattern.exec(sentence)
  if (match === null) return NO_MATCHES
  const found: RegExpExecArray[] = []
  for (; match !== null; match = pattern.exec(sentence)) found.push(match)
  return found
}

const NO_MATCHES: readonly RegExpExecArray[] = []

function ofDigits(...finder: Parameters<typeof by>): Finder {
  return { ...by(...finder), isOfDigits: true }
}

function amount(digits: string, magnitude = ""): string {
  return String(Number(digits.replaceAll(",", "")) * (MAGNITUDES[magnitude.toLowerCase()] ?? 1))
}

function monthOf(month: string): string {
  return `--${String(MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1).padStart(2, "0")}`
}

function monthAndDay(month: string, day: string): string {
  return `${monthOf(month)}-${day.padStart(2, "0")}`
}

const COUNTS = new RegExp(
  `(?<![\\w./:#-])(?:(${NUMBER})(k)?(?:[-–]\\d+)?|(${Object.keys(NUMBER_WORDS).join("|")}))(?:(?:st|nd|rd|th)\\b)?(?:[-\\s]?(?:more |new |different |full |extra )?([a-z%]+))?(?![\\w:]|\\.\\d)`,
  "gi",
)
const NO_UNIT =
  /^(?:is|are|was|were|and|or|to|in|on|of|for|with|at|by|as|but|since|because|now|so|from|than|per|after|before|out|if|when|the|a|an|that|this|day one|more|it|i|we)$/i

function numbers(sentence: string): Value[] {
  return matchesOf(COUNTS, sentence).flatMap((match) => {
    const [, digits, thousands, word, following = ""] = match
    const hasUnit = following !== "" && !NO_UNIT.test(following)
    // In "one of", "one that" and "the one", the word "one" is not a number.
    if (word?.toLowerCase() === "one" && !hasUnit) return []
    const number =
      digits === undefined ? String(NUMBER_WORDS[word!.toLowerCase()]) : amount(digits, thousands)
    const end = match.index + (hasUnit ? match[0] : (digits ?? word)!).length
    return [
      {
        ...numberWithUnit(number, digits ?? "", hasUnit ? following.toLowerCase() : ""),
        start: match.index,
        end,
      },
    ]
  })
}

function numberWithUnit(
  number: string,
  digits: string,
  unit: string,
): Pick<Value, "type" | "value" | "unit"> {
  const dimension = DIMENSIONS.get(unit)
  if (dimension) return { type: "number", value: String(Number(number) * dimension[1]), unit: dimension[0] }
  // A decimal number without a unit is more often a version than a fraction: 3.10 is not 3.1.
  if (unit === "" && digits.includes(".")) return { type: "version", value: digits, unit }
  return { type: "number", value: number, unit: stem(unit) }
}

/** Factors to a common base unit, so that five minutes and an hour are comparable values. */
// biome-ignore format: a table
const DIMENSIONS: ReadonlyMap<string, Dimension> = new Map([
  ...dimensionOf("~time", { ms: 0.001, millisecond: 0.001, s: 1, sec: 1, second: 1, min: 60, minute: 60, hour: 3600, hr: 3600, day: 86400, week: 604800, month: 2629800, year: 31557600 }),
  ...dimensionOf("~bytes", { kb: 1e3, kib: 1e3, mb: 1e6, mib: 1e6, gb: 1e9, gib: 1e9, tb: 1e12 }),
  ...dimensionOf("~length", { mile: 1609, km: 1000, kilometer: 1000, meter: 1, foot: 0.3, feet: 0.3 }),
])

/** Name of the base unit, and the number of base units in one of the unit. */
type Dimension = readonly [string, number]

function dimensionOf(name: string, units: Readonly<Record<string, number>>): [string, Dimension][] {
  return Object.entries(units).flatMap(([unit, factor]) =>
    [unit, `${unit}s`].map((form): [string, Dimension] => [form, [name, factor]]),
  )
}

const FLAG =
  /\b(?:(enabled?|turned on|switched on|activated|true|allowed|supported|required)|(disabled?|turned off|switched off|deactivated|false|forbidden|unsupported|optional|deprecated|removed|dropped))\b/gi

const DENIED = /(?:\b(?:not|never|no longer)|n['’]t)\s+(?:\w+\s+)?$/i

function flagValues(sentence: string): Value[] {
  return matchesOf(FLAG, sentence).map((match) => ({
    type: "flag" as const,
    value: (match[1] === undefined) === DENIED.test(sentence.slice(0, match.index)) ? "on" : "off",
    unit: "",
    start: match.index,
    end: match.index + match[0].length,
  }))
}

// Inside a sentence, consecutive capitalised words; anywhere, code and words with an inner capital, digit or
// sign.
const NAME =
  /`[^`]+`|"[^"\n]{2,40}"|“[^”\n]{2,40}”|\b(?<![\p{L}\d])[\p{L}\d]*(?:\p{Ll}\p{Lu}|[_@/\\]|\p{L}\d|\d\p{L})[\p{L}\d_@/\\.-]*|\b\p{Lu}{2,}\d*\b|(?<=[\p{L}\d,;:)'"’-]\s)\p{Lu}[\p{L}\d'’.+#-]*(?:\s+(?:(?:of|the|and|de|la|van|von)\s+)?\p{Lu}[\p{L}\d'’+#-]*)*/gu

function nameValues(sentence: string): Value[] {
  return matchesOf(NAME, sentence).flatMap((match) => {
    const value = match[0]
      .replace(/^[`"“]|[`"”]$/g, "")
      .replace(/['’]s$|[.,;:'’]+$/g, "")
      .toLowerCase()
    if (value.length < 2 || NOT_NAMES.test(value)) return []
    return [
      { type: "name" as const, value, unit: "", start: match.index, end: match.index + match[0].length },
    ]
  })
}

const NOT_NAMES = /^(?:i|i['’](?:m|ve|d|ll)|ok|yes|no|todo|note|nb|fyi|btw|imo|tl;dr)$/
