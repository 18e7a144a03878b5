import { findTerm, postingRange } from "./find-term.ts"
import type { Segment } from "./segment.ts"
import { ESCAPE } from "./tuple-code.ts"

/**
 * Postings of so many bytes, some 500 documents, are counted: 2 µs. Of 230,000 chunks' names one in 25 has more; to
 * count those, too, would take a query 50 ms.
 */
const COUNTED_BYTES = 1024

/**
 * How many chunks and files of a segment hold a term. Few are counted, less those of files that are not live, so
 * that no fold changes a score; of many the length of their postings tells about how many they are.
 */
export function countDocuments(segment: Segment, live: Uint8Array, hi: number, lo: number): number {
  return countOfTerm(segment, live, findTerm(segment.words, hi, lo))
}

/** The same of the term at a place of the dictionary; 0 at −1. */
export function countOfTerm(segment: Segment, live: Uint8Array, term: number): number {
  if (term < 0) return 0
  const range = postingRange(segment.words, term)
  const bytes = range.end - range.start
  return bytes > COUNTED_BYTES ? estimate(segment, bytes) : count(segment, range, live)
}

/** No count of the term can be larger; 0 at −1. */
export function mostDocuments(segment: Segment, term: number): number {
  if (term < 0) return 0
  const { start, end } = postingRange(segment.words, term)
  const bytes = end - start
  return bytes > COUNTED_BYTES ? estimate(segment, bytes) : bytes >> 1
}

/** A posting is a code and a gap, and gaps take a byte more for each seven bits of their mean. */
function estimate({ documents }: Segment, bytes: number): number {
  const meanGap = (documents * 2) / bytes
  const gapBytes = Math.max(1, Math.ceil(Math.log2(meanGap + 1) / 7))
  return Math.round(bytes / (1 + gapBytes))
}

function count(
  { words, fileOf, documents }: Segment,
  { start, end }: ReturnType<typeof postingRange>,
  live: Uint8Array,
): number {
  const { postings } = words
  let counted = 0
  let document = -1
  for (let at = start; at < end; ) {
    let byte = postings[at++]!
    let gap = byte & 127
    for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
      byte = postings[at++]!
      gap |= (byte & 127) << shift
    }
    document += gap + 1
    if (document >= documents) break
    if (postings[at++] === ESCAPE) at += 3
    counted += live[fileOf[document]!]!
  }
  return counted
}
