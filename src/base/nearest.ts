import { editDistance } from "./edit-distance.ts"

// Maximum length of a word that is compared. The time grows with the product of both lengths, and nobody types longer
// words.
const MAX_TYPED_LENGTH = 100

/**
 * The choice that is most similar to a mistyped word; undefined if none is similar enough. The word is compared with
 * each choice, because there are only few commands, settings and tools. Searches use an index instead:
 * search/query/spelling.ts (hashes of stems) and memory/recall/index/dictionary.ts (stored terms).
 */
export function nearest(word: string, choices: readonly string[]): string | undefined {
  if (word.length > MAX_TYPED_LENGTH) return undefined
  let best: string | undefined
  let minDistance = maxDistance(word) + 1
  for (const choice of choices) {
    const isBegun = word.length > 1 && choice.startsWith(word)
    const distance = isBegun ? 1 : editDistance(word, choice, minDistance - 1)
    if (distance < minDistance) {
      minDistance = distance
      best = choice
    }
  }
  return best
}

/** True if a choice begins with the word, or differs from it by at most `max` edits. */
export function isNear(word: string, choice: string, max: number): boolean {
  if (word.length > MAX_TYPED_LENGTH) return false
  return (word.length > 1 && choice.startsWith(word)) || editDistance(word, choice, max) <= max
}

/** Maximum edit distance at which a choice is similar to a word: 1, or a third of the word's length. */
export function maxDistance(word: string): number {
  return Math.max(1, Math.floor(word.length / 3))
}
