import names from "./calendar.json" with { type: "json" }

// Names of days and months in ten languages, as Intl has them (scripts/calendar.ts writes calendar.json).

/** Names of scripts without blanks, as alternatives of a regular expression, longest first. */
export const UNSPACED_NAMES = Object.keys(names)
  .filter((name) => /^[\p{sc=Han}\p{sc=Hangul}]{2,}$/u.test(name))
  .sort((a, b) => b.length - a.length)
  .join("|")

const NAMES = new Map(Object.entries(names))
// "mondays" and "субботам" differ from their names in the ending.
for (const [name, key] of [...NAMES]) if (name.length >= 6) NAMES.set(`${name.slice(0, -1)}*`, key)

/** "d1" for a word that names Monday, "m3" for March, the digit for a numeral of one character; null for other words. */
export function calendarName(lower: string): string | null {
  const exact = NAMES.get(lower)
  if (exact !== undefined || lower.length < 6) return exact ?? null
  for (let cut = 1; cut <= 4; cut++) {
    const found = NAMES.get(`${lower.slice(0, -cut)}*`)
    if (found !== undefined) return found
  }
  return null
}
