import { findTerm, type PostingRange, postingRange } from "./find-term.ts"
import { CODE, CODE_MASK, GAP, GAP_BYTES, HEAD_BYTES, LONG_GAPS, longGap } from "./posting-code.ts"
import { tailEnd } from "./posting-names.ts"
import type { Segment } from "./segment.ts"
import { LONG_LIST } from "./term-dictionary.ts"

/** Postings of so many bytes, some 500 documents, are counted: 2 µs. */
const COUNTED_BYTES = 1024

/**
 * How many chunks and files of a segment hold a term. Few are counted, less those of files that are not live, so
 * that no fold changes a score; of many it is told how many there were when the segment was made.
 */
export function countDocuments(segment: Segment, live: Uint8Array, hi: number, lo: number): number {
  return countOfTerm(segment, live, findTerm(segment.words, hi, lo))
}

/** The same of the term at a place of the dictionary; 0 at −1. */
export function countOfTerm(segment: Segment, live: Uint8Array, term: number): number {
  if (term < 0) return 0
  const range = postingRange(segment.words, term)
  return range.end - range.start > COUNTED_BYTES ? range.documents : count(segment, range, live)
}

/** No count of the term can be larger; 0 at −1. */
export function mostDocuments(segment: Segment, term: number): number {
  if (term < 0) return 0
  const length = segment.words.lengths.at(term)
  return length < LONG_LIST ? length : postingRange(segment.words, term).documents
}

function count(
  { words, fileOf, documents }: Segment,
  { start, end }: PostingRange,
  live: Uint8Array,
): number {
  let at = words.postings.load(start, end)
  const last = at + end - start
  const postings = words.postings.bytes
  let counted = 0
  let document = -1
  while (at < last) {
    const first = postings[at]!
    let gap = GAP[first]!
    const code = CODE[first]! | (postings[at + 1]! & CODE_MASK[first]!)
    at += HEAD_BYTES[first]!
    if (first >= LONG_GAPS) {
      gap = longGap(postings, at, first)
      at += GAP_BYTES[first]!
    }
    document += gap + 1
    if (document >= documents) break
    at = tailEnd(postings, at, code)
    counted += live[fileOf[document]!]!
  }
  return counted
}
