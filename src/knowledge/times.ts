import { AmanError } from "../base/errors.ts"

/** What a person may write: a date, or an instant; without a zone it is UTC. */
const FORM =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i

/** A date as it stands, an instant in UTC with milliseconds; USAGE where it is neither. `name` says whose it is. */
export function parseTime(text: string, name: string): string {
  const found = FORM.exec(text.trim())
  const instant = found === null ? Number.NaN : instantFrom(found)
  if (found === null || Number.isNaN(instant)) throw nonsense(text, name)
  const written = new Date(instant).toISOString()
  return found[4] === undefined ? written.slice(0, 10) : written
}

/** The first moment of a date; an instant itself. Full instants compare as text. */
export function firstMoment(time: string): string {
  return time.length === 10 ? `${time}T00:00:00.000Z` : time
}

/** The last millisecond of a date; an instant itself. */
export function lastMoment(time: string): string {
  return time.length === 10 ? `${time}T23:59:59.999Z` : time
}

export function instant(ms: number): string {
  return new Date(ms).toISOString()
}

function instantFrom(found: RegExpExecArray): number {
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = found
  const date = `${year}-${month}-${day}`
  // The engine rolls 31 April over to May.
  const isDay = new Date(`${date}T00:00:00Z`).getUTCDate() === Number(day)
  if (!isDay || Number(hour) > 23) return Number.NaN
  const offset = zone.toUpperCase() === "Z" ? "Z" : zone.replace(/^(...)(\d\d)$/, "$1:$2")
  return Date.parse(`${date}T${hour}:${minute}:${second}.${fraction.padEnd(3, "0").slice(0, 3)}${offset}`)
}

function nonsense(text: string, name: string): AmanError {
  return new AmanError("USAGE", `${name}: ${JSON.stringify(text.slice(0, 60))} is no date`, {
    hint: "write 2026-11-21 or 2026-11-21T20:00:00Z",
  })
}
