import type { PostingSpace } from "./segment.ts"

/** The place of a term in a sorted dictionary, or −1. Hashes are uniform, so the first guess is close. */
export function findTerm(space: PostingSpace, hi: number, lo: number): number {
  const { hi: his, lo: los } = space
  let at = lowerBound(his, hi)
  while (at < his.length && his[at] === hi) {
    if (los[at] === lo) return at
    at++
  }
  return -1
}

/** Start and end of a term's postings, kept inside the section whatever the table says. */
export function postingRange(space: PostingSpace, term: number): { start: number; end: number } {
  const end = Math.min(space.at[term + 1]!, space.postings.length)
  return { start: Math.min(space.at[term]!, end), end }
}

function lowerBound(sorted: Uint32Array, value: number): number {
  const { length } = sorted
  const guess = Math.floor((value / 0x1_0000_0000) * length)
  // Eight times the deviation to expect of the middle one of so many uniform numbers.
  const margin = 4 * Math.ceil(Math.sqrt(length))
  let low = Math.max(guess - margin, 0)
  let high = Math.min(guess + margin, length)
  if (low > 0 && sorted[low - 1]! >= value) low = 0
  if (high < length && sorted[high]! < value) high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
