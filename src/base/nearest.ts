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
  let minDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const choice of choices) {
    const isBegun = word.length > 1 && choice.startsWith(word)
    // The edit distance is at least the difference of the lengths.
    if (!isBegun && Math.abs(choice.length - word.length) >= minDistance) continue
    const distance = isBegun ? 1 : editDistance(word, choice)
    if (distance < minDistance) {
      minDistance = distance
      best = choice
    }
  }
  return best
}

/**
 * The edit distance: number of insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1
      let distance = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + cost)
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) distance = Math.min(distance, beforeLast[column - 2]! + 1)
      current.push(distance)
    }
    beforeLast = last
    last = current
  }
  return last[b.length]!
}
