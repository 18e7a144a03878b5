import type { Question } from "./question.ts"

/** Two words are close within so many of the text. */
const NEAR = 4

/** Sums the rarity of those pairs of the question's words that stand close together in a text. */
export function proximityOf({ terms }: Question): (tokens: Int32Array) => number {
  const rows = new Map<number, number>()
  for (const [row, { variants }] of terms.entries()) for (const { number } of variants) rows.set(number, row)
  const width = terms.length
  return (tokens) => {
    const last = new Int32Array(width).fill(-NEAR - 1)
    const pairs = new Set<number>()
    for (let at = 0; at < tokens.length; at++) {
      const row = rows.get(tokens[at]!)
      if (row === undefined) continue
      for (let other = 0; other < width; other++) {
        const isNear = other !== row && at - last[other]! <= NEAR
        if (isNear) pairs.add(Math.min(row, other) * width + Math.max(row, other))
      }
      last[row] = at
    }
    let sum = 0
    for (const pair of pairs) sum += (terms[pair % width]!.idf + terms[Math.floor(pair / width)]!.idf) / 2
    return sum
  }
}
