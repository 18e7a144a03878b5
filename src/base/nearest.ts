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
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  const distance = distanceByBits(short, long, max)
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

/** For each code of a letter, the number of that letter in the pattern; all 0 between calls. */
const numberOf = new Uint16Array(0x10000)
const BITS = 32

/**
 * The distance of two texts by a table with a row for each letter of the pattern and a column for each letter of the text.
 * The columns are computed one after the other, 32 rows at once: bits say where a cell is one more or one less than its
 * neighbour (Hyyrö 2003, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances").
 */
function distanceByBits(pattern: string, text: string, max: number): number {
  if (pattern.length === 0) return text.length
  const blocks = Math.ceil(pattern.length / BITS)
  const positions = positionsIn(pattern, blocks)
  const column = {
    more: new Int32Array(blocks).fill(-1),
    less: new Int32Array(blocks),
    equal: new Int32Array(blocks),
    last: 1 << ((pattern.length - 1) % BITS),
  }
  let distance = pattern.length
  let before = 0
  // Each further letter of the text lowers the distance by one at most.
  for (let at = 0; at < text.length && distance - (text.length - at) <= max; at++) {
    const letter = numberOf[text.charCodeAt(at)]! * blocks
    distance += advance(column, positions, letter, before)
    before = letter
  }
  for (let at = 0; at < pattern.length; at++) numberOf[pattern.charCodeAt(at)] = 0
  return distance
}

/** A column of the table, one number for each 32 rows. */
type Column = {
  /** Bits of the cells that are one more than the cell above, or one less. */
  readonly more: Int32Array
  readonly less: Int32Array
  /** Bits of the cells that are equal to the cell to the upper left. */
  readonly equal: Int32Array
  /** The bit of the last row, in the last number. */
  readonly last: number
}

/**
 * Replaces a column by the next one. Returns how much the cell of the last row changes. `letter` and `before` say where the
 * positions of the column's letter begin, and of the letter before it.
 */
function advance(
  { more, less, equal, last }: Column,
  positions: Int32Array,
  letter: number,
  before: number,
): number {
  // What a block of 32 rows hands on to the first row of the next one.
  let [carry, swap, nextMore, nextLess] = [0, 0, 1, 0]
  let change = 0
  for (let block = 0; block < more.length; block++) {
    const here = positions[letter + block]!
    const above = more[block]!
    const unequal = ~equal[block]! & here
    const swapped = ((unequal << 1) | swap) & positions[before + block]!
    const sum = ((here & above) >>> 0) + (above >>> 0) + carry
    const same = ((sum | 0) ^ above) | here | less[block]! | swapped
    const isMore = less[block]! | ~(same | above)
    const isLess = same & above
    change = Number((isMore & last) !== 0) - Number((isLess & last) !== 0)
    const shifted = (isMore << 1) | nextMore
    more[block] = (isLess << 1) | nextLess | ~(same | shifted)
    less[block] = shifted & same
    equal[block] = same
    carry = Number(sum > 0xffff_ffff)
    swap = unequal >>> 31
    nextMore = isMore >>> 31
    nextLess = isLess >>> 31
  }
  return change
}

/**
 * Numbers the letters of a pattern from 1 on. Returns a row of `blocks` integers for each number: bit `b` of
 * integer `i` is 1 if the letter with that number stands at 32 · i + b. The row of number 0, for letters that the pattern does not
 * have, is empty.
 */
function positionsIn(pattern: string, blocks: number): Int32Array {
  const positions = new Int32Array((pattern.length + 1) * blocks)
  let letters = 0
  for (let at = 0; at < pattern.length; at++) {
    const code = pattern.charCodeAt(at)
    if (numberOf[code] === 0) numberOf[code] = ++letters
    positions[numberOf[code]! * blocks + Math.floor(at / BITS)]! |= 1 << (at % BITS)
  }
  return positions
}

/** The number of bits of a 32-bit integer that are 1. */
export function bitCount(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}
