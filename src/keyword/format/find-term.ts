import { firstNot } from "../../base/sorted.ts"
import type { Column } from "./column.ts"
import type { PostingBytes } from "./posting-bytes.ts"
import type { PostingSpace } from "./segment.ts"
import { LIST_HEAD, LONG_LIST, readU32, TERMS_PER_BLOCK } from "./term-dictionary.ts"

/**
 * Position of a term in a sorted dictionary; −1 if it is missing. Hashes are evenly distributed, so the first guess is
 * close.
 */
export function findTerm(space: PostingSpace, hi: number, lo: number): number {
  const { hi: his, lo: los } = space
  let at = lowerBound(his, hi)
  while (at < his.length && his.at(at) === hi) {
    if (los.at(at) === lo) return at
    at++
  }
  return -1
}

/**
 * Byte range of a term's postings in their section, and the number of documents in them; 0 for short lists, which do
 * not store that number.
 */
export type PostingRange = { readonly start: number; readonly end: number; readonly documents: number }

/**
 * The byte range of a term's postings. It is limited to the section even if the tables are damaged. For a long list,
 * this loads its head.
 */
export function postingRange({ lengths, blocks, postings }: PostingSpace, term: number): PostingRange {
  const block = Math.floor(term / TERMS_PER_BLOCK)
  let start = blocks.at(block)
  for (let i = block * TERMS_PER_BLOCK; i < term; i++) {
    const length = lengths.at(i)
    start += length < LONG_LIST ? length : headOf(postings, start, 0) + LIST_HEAD
  }
  let length = lengths.at(term)
  let documents = 0
  if (length === LONG_LIST) {
    length = headOf(postings, start, 0)
    documents = headOf(postings, start, 4)
    start += LIST_HEAD
  }
  const end = Math.min(start + length, postings.length)
  return { start: Math.min(start, end), end, documents }
}

function headOf(postings: PostingBytes, start: number, at: number): number {
  if (start + LIST_HEAD > postings.length) return 0
  const place = postings.load(start, start + LIST_HEAD)
  return readU32(postings.bytes, place + at)
}

/**
 * The first index whose number is `value` or greater. It starts at the index that evenly distributed numbers would
 * give, and corrects it by the number found there (interpolation search). This takes a few steps, however long the
 * column is.
 */
function lowerBound(sorted: Column, value: number): number {
  const { length } = sorted
  if (length === 0) return 0
  const perPlace = length / 0x1_0000_0000
  const guess = Math.floor(value * perPlace)
  const moved = guess + Math.floor((value - sorted.at(guess)) * perPlace)
  let low = Math.min(Math.max(moved, 0), length - 1)
  let high = low
  let step = 4
  while (low > 0 && sorted.at(low) >= value) {
    high = low
    low = Math.max(0, low - step)
    step *= 2
  }
  while (high < length && sorted.at(high) < value) {
    low = high + 1
    high = Math.min(length, high + step)
    step *= 2
  }
  return firstNot(low, high, (i) => sorted.at(i) < value)
}
