export type Line = { readonly number: number; readonly text: string }
export type Excerpt = { readonly lines: readonly Line[]; readonly before: number; readonly after: number }

// The line that defines what is asked for weighs more than one that merely mentions a word.
const SYMBOL_WEIGHT = 2

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
  const name = symbol
    ?.split(/[.:#]+/)
    .at(-1)
    ?.toLowerCase()
  let best = 0
  let bestValue = -1
  for (let start = 0; start + most <= lines.length; start++) {
    const text = lines
      .slice(start, start + most)
      .map((line) => line.text)
      .join("\n")
      .toLowerCase()
    // Distinct words, not occurrences: one repeated word must not hide the others.
    let value = words.filter((word) => text.includes(word)).length
    if (name && text.includes(name)) value += SYMBOL_WEIGHT
    if (value > bestValue) {
      bestValue = value
      best = start
    }
  }
  return best
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
