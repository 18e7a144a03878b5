import { inZone } from "../entries/times.ts"

/**
 * Parses the ways in which exports write a time: an ISO date ("2026-03-05") or an instant, in UTC or with the offset that
 * was written, because that decides which day it was for the writer; null for anything else. A time without a zone counts
 * as UTC, because its zone is unknown.
 */
export function parseImportTime(value: unknown): string | null {
  if (typeof value === "number") return fromEpoch(value)
  if (typeof value !== "string" || value.length > 60) return null
  const text = value.trim()
  if (/^\d{9,16}$/.test(text)) return fromEpoch(Number(text))
  return fromNumbers(text) ?? fromWords(text)
}

/**
 * The instant of a number of seconds, milliseconds or microseconds since 1970. The size of the number tells the unit,
 * because a present date has a number of another size in each unit.
 */
function fromEpoch(number: number): string | null {
  if (!Number.isFinite(number) || number < 1e8) return null
  if (number < 1e11) return isoInstant(number * 1000)
  return isoInstant(number < 1e14 ? number : number / 1000)
}

const DATE = String.raw`(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})`
const TIME = String.raw`(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?\s*(?<half>[ap]\.?m\.?)?`
const ZONE = String.raw`\s*(?<zone>z|utc|gmt|[+-]\d{2}(?::?\d{2})?)?`
const WEEKDAY = String.raw`(?:\s*\(?(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\)?,?)?`
const MONTH = String.raw`(?<name>jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.?`

/** Pattern of numeric times: "2026-03-05", "2026-03-05T10:11:12.5+02:00", "2023/05/20 (Sat) 02:21". */
const NUMBERS = new RegExp(`^${DATE}${WEEKDAY}(?:[T\\s,]+${TIME}${ZONE})?$`, "i")

const DAY_FIRST = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?\s+${MONTH},?\s+(?<year>\d{4})`
const MONTH_FIRST = String.raw`${MONTH}\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<year>\d{4})`
/**
 * Patterns of times with the name of a month: "1:56 pm on 8 May, 2023", "May 8, 2023 at 1:56 PM", "Mon, 8 May 2023
 * 13:56:00 GMT".
 */
const WORDS = [DAY_FIRST, MONTH_FIRST].flatMap((date) => [
  new RegExp(`^${TIME}(?:\\s+on|,)?\\s+${date}$`, "i"),
  new RegExp(`^${WEEKDAY}\\s*${date}(?:,?(?:\\s+at)?\\s+${TIME}${ZONE})?$`, "i"),
])
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

type DateParts = Readonly<Record<string, string | undefined>>

function fromNumbers(text: string): string | null {
  const parts = NUMBERS.exec(text)?.groups
  return parts ? assembled(parts, Number(parts["month"])) : null
}

function fromWords(text: string): string | null {
  const parts = WORDS.map((pattern) => pattern.exec(text)?.groups).find(Boolean)
  return parts ? assembled(parts, MONTHS.indexOf(parts["name"]!.slice(0, 3).toLowerCase()) + 1) : null
}

function assembled(parts: DateParts, month: number): string | null {
  const day = `${parts["year"]}-${two(month)}-${two(Number(parts["day"]))}`
  // A day that does not exist, such as 31 June, is refused, because `Date` would turn it into a day of the next
  // month.
  if (isoInstant(Date.parse(`${day}T00:00:00Z`))?.slice(0, 10) !== day) return null
  if (parts["hour"] === undefined) return day
  const [written, half] = [Number(parts["hour"]), parts["half"]?.toLowerCase()]
  const hour = half === undefined ? written : (written % 12) + (half.startsWith("p") ? 12 : 0)
  const fraction = (parts["fraction"] ?? "").padEnd(3, "0").slice(0, 3)
  const time = `${two(hour)}:${parts["minute"]}:${parts["second"] ?? "00"}.${fraction}`
  const zone = zoneOf(parts["zone"])
  const instant = isoInstant(Date.parse(`${day}T${time}${zone}`))
  return instant && inZone(instant, /[1-9]/.test(zone) ? zone : null)
}

function zoneOf(zone: string | undefined): string {
  if (zone === undefined || /^[a-z]/i.test(zone)) return "Z"
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0")
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`
}

function isoInstant(milliseconds: number): string | null {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

function two(number: number): string {
  return String(number).padStart(2, "0")
}
