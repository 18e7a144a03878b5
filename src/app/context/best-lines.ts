import type { QueryWords } from "./query-words.ts"

export type NumberedLine = { readonly number: number; readonly text: string }

/** The lines that hold most of the words, each for a word that no other holds yet; in their order. */
export function bestLines(lines: readonly NumberedLine[], query: QueryWords, most: number): NumberedLine[] {
  const held = lines
    .map((line) => ({ line, words: query.in(line.text) }))
    .filter(({ words }) => words.size > 0)
  const covered = new Set<string>()
  const chosen = new Set<NumberedLine>()
  while (chosen.size < most) {
    let best: (typeof held)[number] | null = null
    let gain = 0
    for (const each of held) {
      if (chosen.has(each.line)) continue
      const news = [...each.words].filter((word) => !covered.has(word)).length
      const value = news + each.words.size / 100
      if (news > 0 && value > gain) [best, gain] = [each, value]
    }
    if (best === null) break
    chosen.add(best.line)
    for (const word of best.words) covered.add(word)
  }
  return [...chosen].sort((one, other) => one.number - other.number)
}
