import type { Numbers } from "./index/frozen-strings.ts"
import type { RecallQuestion } from "./question.ts"

/** Two words are close when their positions differ by at most this. */
const NEAR = 4

/**
 * Returns a function that sums the mean idf of the pairs of question words that occur close together in a
 * text.
 */
export function proximityOf({ terms }: RecallQuestion, dictionarySize: number): (tokens: Numbers) => number {
  // Index of the word in the question + 1; 0 for any other word.
  const rows = new Uint8Array(dictionarySize)
  for (const [row, { variants }] of terms.entries()) for (const { number } of variants) rows[number] = row + 1
  return (tokens) => {
    const pairs = new Set<number>()
    const seen: LastOccurrence[] = []
    for (let at = 0; at < tokens.length; at++) {
      const row = rows[tokens[at]!]! - 1
      if (row >= 0) addPairs({ row, at }, seen, pairs)
    }
    let sum = 0
    for (const pair of pairs) sum += (terms[pair % WIDTH]!.idf + terms[Math.floor(pair / WIDTH)]!.idf) / 2
    return sum
  }
}

type LastOccurrence = { readonly row: number; readonly at: number }

/** Base for encoding a pair as one number; greater than the number of terms in a question. */
const WIDTH = 256

/** Adds the pairs that a word forms with the question words close before it. */
function addPairs(word: LastOccurrence, seen: LastOccurrence[], pairs: Set<number>): void {
  while (seen.length > 0 && word.at - seen[0]!.at > NEAR) seen.shift()
  for (const { row } of seen) {
    if (row !== word.row) pairs.add(Math.min(row, word.row) * WIDTH + Math.max(row, word.row))
  }
  seen.push(word)
}
