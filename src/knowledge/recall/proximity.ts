import type { Question } from "./question.ts"

/** Two words are close within so many of the text. */
const NEAR = 4

/** Sums the rarity of those pairs of the question's words that stand close together in a text. */
export function proximityOf({ terms }: Question, dictionarySize: number): (tokens: Uint32Array) => number {
  // One more than the word's place in the question; 0 is another word.
  const rows = new Uint8Array(dictionarySize)
  for (const [row, { variants }] of terms.entries()) for (const { number } of variants) rows[number] = row + 1
  return (tokens) => {
    const pairs = new Set<number>()
    const seen: Seen[] = []
    for (let at = 0; at < tokens.length; at++) {
      const row = rows[tokens[at]!]! - 1
      if (row >= 0) meet({ row, at }, seen, pairs)
    }
    let sum = 0
    for (const pair of pairs) sum += (terms[pair % WIDTH]!.idf + terms[Math.floor(pair / WIDTH)]!.idf) / 2
    return sum
  }
}

type Seen = { readonly row: number; readonly at: number }

/** More than a question has terms. */
const WIDTH = 256

/** Pairs a word with those that stand close before it. */
function meet(word: Seen, seen: Seen[], pairs: Set<number>): void {
  while (seen.length > 0 && word.at - seen[0]!.at > NEAR) seen.shift()
  for (const { row } of seen) {
    if (row !== word.row) pairs.add(Math.min(row, word.row) * WIDTH + Math.max(row, word.row))
  }
  seen.push(word)
}
