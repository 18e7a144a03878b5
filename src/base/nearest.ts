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

/**
 * The edit distance: number of insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
 * A distance above `max` is returned as Infinity.
 */
export function editDistance(a: string, b: string, max = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > max || differingLetters(a, b) > max) return Number.POSITIVE_INFINITY
  // Three rows of the table of distances between the beginnings of both texts, which take turns.
  const width = b.length + 1
  const cells = Uint16Array.from({ length: 3 * width }, (_, at) => at)
  let least = 0
  for (let i = 1; i <= a.length; i++) {
    const [row, last, before] = [i, i + 2, i + 1].map((each) => (each % 3) * width) as [
      number,
      number,
      number,
    ]
    const leastBefore = least
    cells[row] = i
    least = i
    for (let j = 1; j < width; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let cell = Math.min(cells[last + j]! + 1, cells[row + j - 1]! + 1, cells[last + j - 1]! + cost)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) cell = Math.min(cell, cells[before + j - 2]! + 1)
      cells[row + j] = cell
      least = Math.min(least, cell)
    }
    if (Math.min(least, leastBefore) > max) return Number.POSITIVE_INFINITY
  }
  const distance = cells[(a.length % 3) * width + b.length]!
  return distance > max ? Number.POSITIVE_INFINITY : distance
}

/** The number of letters that only one of the texts has, of the one with more; each edit lowers it by one at most. */
function differingLetters(a: string, b: string): number {
  const [some, others] = [lettersOf(a), lettersOf(b)]
  return Math.max(bitCount(some & ~others), bitCount(others & ~some))
}

/** A bit for each letter of a text. Letters whose codes have the same last five bits share one. */
function lettersOf(text: string): number {
  let letters = 0
  for (let at = 0; at < text.length; at++) letters |= 1 << (text.charCodeAt(at) & 31)
  return letters
}

/** The number of bits of a 32-bit integer that are 1. */
export function bitCount(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}
