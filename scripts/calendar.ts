/**
 * Writes the names of days and months of ten languages from Intl (CLDR) to src/memory/conflicts/calendar.json: Intl takes
 * 10 ms to give them, which no recall should wait for.
 *
 *   bun scripts/calendar.ts
 */

import { join } from "node:path"

const LANGUAGES = ["en", "de", "fr", "es", "pt", "it", "ru", "ja", "zh", "ko"]

/** Names in lower case: d1 is Monday, m1 January; digits are themselves. */
const names: Record<string, string> = {}
for (const language of LANGUAGES) {
  const months = Array.from({ length: 12 }, (_, i) => [`m${i + 1}`, Date.UTC(2024, i, 1)] as const)
  const days = Array.from({ length: 7 }, (_, i) => [`d${i + 1}`, Date.UTC(2024, 0, 1 + i)] as const)
  add(language, days, { weekday: "long" })
  add(language, days, { weekday: "short" })
  add(language, months, { month: "long" })
  // Russian months have another form beside a day.
  add(language, months, { month: "long", day: "numeric" })
}
for (const [digit, name] of [
  ...new Intl.NumberFormat("zh-u-nu-hanidec", { useGrouping: false }).format(1234567890),
].entries())
  names[name] = String((digit + 1) % 10)

await Bun.write(
  join(import.meta.dirname, "../src/memory/conflicts/calendar.json"),
  `${JSON.stringify(names)}\n`,
)

function add(
  language: string,
  times: readonly (readonly [string, number])[],
  options: Intl.DateTimeFormatOptions,
) {
  const format = new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" })
  for (const [key, time] of times) {
    const part = format.formatToParts(time).find(({ type }) => type === "weekday" || type === "month")!
    const name = part.value.toLowerCase()
    // Short names of letters ("mar.", "sun") are words of their own.
    const isShort =
      options.weekday === "short" && (/^[\p{sc=Latin}\p{sc=Cyrillic}]/u.test(name) || name.length < 2)
    if (/^\p{L}/u.test(name) && !isShort) names[name] ??= key
  }
}
