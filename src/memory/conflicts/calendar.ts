/** A calendar period. Weeks begin on Monday. */
export type Period = "day" | "weekend" | "week" | "month" | "quarter" | "year" | "decade"

/** The UTC day of an ISO date or instant. */
export function dayOf(time: string): string {
  return time.length === 10 ? time : new Date(time).toISOString().slice(0, 10)
}

/** First and last day of the period that contains the day; for a weekend, that of the day's week. */
export function periodAround(day: string, period: Period): { readonly start: string; readonly end: string } {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number]
  const monday = date - ((weekday(day) + 6) % 7)
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
export function shifted(day: string, step: number | "year", count: number): string {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number]
  return step === "year" ? isoDay(year + count, month, date) : isoDay(year, month, date + step * count)
}

function span(...[y1, m1, d1, y2, m2, d2]: [number, number, number, number, number, number]) {
  return { start: isoDay(y1, m1, d1), end: isoDay(y2, m2, d2) }
}

function weekday(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay()
}

/** Days and months out of range roll over. */
function isoDay(year: number, month: number, day: number): string {
  const time = new Date(0)
  time.setUTCFullYear(year, month - 1, day)
  return time.toISOString().slice(0, 10)
}
