export type Line = { readonly number: number; readonly text: string }
export type Excerpt = { readonly lines: readonly Line[]; readonly before: number; readonly after: number }

// The line that names the symbol weighs more than a word in passing, and most near the top, where
// what it defines can follow it.
const SYMBOL_WEIGHT = 1.5
const SYMBOL_ON_TOP_WEIGHT = 2.5
const TOP_LINES = 4

/** The stretch of a result's lines that shows most of what was asked for, and how many lines it leaves out. */
export function excerpt(
  result: { readonly text: string; readonly start_line: number; readonly symbol: string | null },
  words: readonly string[],
  most: number,
): Excerpt {
  const lines = result.text.split("\n").map((text, index) => ({ number: result.start_line + index, text }))
  while (lines.length > 1 && lines.at(-1)!.text.trim() === "") lines.pop()
  if (lines.length <= most) return { lines, before: 0, after: 0 }
  const start = bestStart(lines, words, result.symbol, most)
  return { lines: lines.slice(start, start + most), before: start, after: lines.length - start - most }
}

function bestStart(
  lines: readonly Line[],
  words: readonly string[],
  symbol: string | null,
  most: number,
): number {
  const lower = lines.map(({ text }) => text.toLowerCase())
  const name = symbolPattern(symbol)
  const value = (start: number): number => {
    const window = lower.slice(start, start + most)
    // Distinct words, not occurrences: one repeated word must not hide the others.
    const found = words.filter((word) => window.some((line) => line.includes(word))).length
    const at = name ? window.findIndex((line) => name.test(line)) : -1
    const symbolValue = at < 0 ? 0 : at < TOP_LINES ? SYMBOL_ON_TOP_WEIGHT : SYMBOL_WEIGHT
    return found + symbolValue - (window[0]!.trim() === "" ? 0.5 : 0)
  }
  let best = 0
  for (let start = 1; start + most <= lines.length; start++) if (value(start) > value(best)) best = start
  return best
}

/** The symbol's own name as a whole word: "rank" is not defined where "ranked" is. */
function symbolPattern(symbol: string | null): RegExp | null {
  const name = symbol
    ?.split(/[.:#]+/)
    .at(-1)
    ?.match(/[\p{L}\p{N}_$]+/u)?.[0]
    .toLowerCase()
  return name
    ? new RegExp(`(?<![\\p{L}\\p{N}_$])${name.replaceAll("$", "\\$")}(?![\\p{L}\\p{N}_$])`, "u")
    : null
}

/** Words of a query worth finding in a line, in lower case. */
export function queryWords(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_$]{2,}/gu) ?? []
  return [...new Set(words)].filter((word) => !COMMON.has(word))
}

const COMMON: ReadonlySet<string> = new Set(
  "an and are as at be by can do does for from get has have how if in into is it its not of on or that the their then there this to use used was what when where which who why will with".split(
    " ",
  ),
)
