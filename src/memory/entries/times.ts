import { AmanError } from "../../base/index.ts"

/** Pattern of accepted times: a date or an instant. An instant without a zone is in UTC. */
const FORM =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/**
 * A date unchanged, an instant in UTC with milliseconds. Throws USAGE for anything else; `name` names the
 * field in the message.
 */
export function parseTime(text: string, name: string): string {
  const found = FORM.exec(text.trim())
  const instant = found === null ? Number.NaN : instantFrom(found)
  if (found === null || Number.isNaN(instant)) {
    const message = `${name}: ${JSON.stringify(text.slice(0, 60))} is not a date`
    throw new AmanError("USAGE", message, { hint: "write 2026-11-21 or 2026-11-21T20:00:00Z" })
  }
  const written = new Date(instant).toISOString()
  return found[4] === undefined ? written.slice(0, 10) : written
}

/**
 * A time as another program wrote it: an ISO date, an instant with the offset that was written, because that decides which
 * day it was for the writer, or a number since 1970; null for anything else.
 */
export function parseImportTime(value: unknown): string | null {
  const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : ""
  if (typeof value === "number" || /^\d{9,16}$/.test(text)) return fromEpoch(Number(text))
  const found = FORM.exec(text.replace(/^(\d{4})[/.](\d{2})[/.](\d{2})/, "$1-$2-$3"))
  const ms = found === null ? Number.NaN : instantFrom(found)
  if (found === null || Number.isNaN(ms)) return null
  const written = new Date(ms).toISOString()
  return found[4] === undefined ? written.slice(0, 10) : inZone(written, zoneIn(text))
}

/**
 * The instant of a number of seconds, milliseconds or microseconds. Its size tells the unit, because a present date has
 * a number of another size in each unit.
 */
function fromEpoch(number: number): string | null {
  if (!(number >= 1e8 && number < 1e16)) return null
  if (number < 1e11) return instant(number * 1000)
  return instant(number < 1e14 ? number : number / 1000)
}

/** The first millisecond of a date; an instant unchanged. The results compare as text. */
export function firstMoment(time: string): string {
  return time.length === 10 ? `${time}T00:00:00.000Z` : time
}

/** The last millisecond of a date; an instant is returned unchanged. */
export function lastMoment(time: string): string {
  return time.length === 10 ? `${time}T23:59:59.999Z` : time
}

/** ISO text of a time in ms since 1970, clamped to the years 0000 to 9999, because only these compare as text. */
export function instant(ms: number): string {
  return new Date(Math.min(Math.max(ms || 0, FIRST_MS), LAST_MS)).toISOString()
}

const FIRST_MS = Date.parse("0000-01-01T00:00:00.000Z")
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z")

/** The offset at the end of a time, as +09:00; null: it is in UTC, or has none. */
export function zoneIn(time: string): string | null {
  const [, hours, minutes = "00"] = /\d:\d\d.*([+-]\d\d)(?::?(\d\d))?$/.exec(time.trim()) ?? []
  return hours === undefined || `${hours}${minutes}` === "+0000" ? null : `${hours}:${minutes}`
}

/** The offset of this process's time zone at an instant; null: UTC. */
export function zoneAt(time: string): string | null {
  const minutes = -new Date(time).getTimezoneOffset()
  const two = (number: number) => String(Math.floor(Math.abs(number))).padStart(2, "0")
  return minutes === 0 ? null : `${minutes < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`
}

/** An instant in UTC as the clock of a zone shows it, with its offset: "2026-11-29T02:34:00.000+09:00". */
export function inZone(time: string, zone: string | null | undefined): string {
  if (zone == null) return time
  const [hours, minutes] = zone.slice(1).split(":").map(Number) as [number, number]
  const ms = (hours * 60 + minutes) * 60_000 * (zone.startsWith("-") ? -1 : 1)
  return `${instant(Date.parse(time) + ms).slice(0, -1)}${zone}`
}

/** The first moment of a date in this process's time zone; an instant unchanged. */
export function firstLocalMoment(time: string): string {
  if (time.length !== 10) return time
  const [year, month, day] = time.split("-").map(Number) as [number, number, number]
  return instant(new Date(year, month - 1, day).getTime())
}

function instantFrom(found: RegExpExecArray): number {
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = found
  const date = `${year}-${month}-${day}`
  // The check is needed because `Date` turns 31 April into 1 May.
  const isDay = new Date(`${date}T00:00:00Z`).getUTCDate() === Number(day)
  if (!isDay || Number(hour) > 23) return Number.NaN
  const offset = /^.\d\d(?:\d\d)?$/.test(zone)
    ? `${zone.slice(0, 3)}:${zone.slice(3) || "00"}`
    : zone.toUpperCase()
  return Date.parse(`${date}T${hour}:${minute}:${second}.${fraction.padEnd(3, "0").slice(0, 3)}${offset}`)
}
