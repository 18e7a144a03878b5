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
const MAX_DATES = 8

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
  return found.slice(0, MAX_DATES)
}

/** Number of days after a named day in which people still tell what happened on it. */
const TOLD_WITHIN_DAYS = 3

const DAY_MS = 24 * 3_600_000

/**
 * True when an entry recorded at this time may be about one of the dates: it was recorded on that date, or within
 * TOLD_WITHIN_DAYS after a named day.
 */
export function isAtDate(dates: readonly NamedDate[], recordedAt: string): boolean {
  const time = new Date(recordedAt)
  return dates.some(({ year, month, day }) => {
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
