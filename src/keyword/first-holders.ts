import { findTerm, postingRange } from "./find-term.ts"
import { CODE, CODE_MASK, GAP, GAP_BYTES, HEAD_BYTES, LONG_GAPS, longGap } from "./posting-code.ts"
import { tailEnd } from "./posting-names.ts"
import type { Segment } from "./segment.ts"

/** The first few files of a segment that hold a term, by id; at once, however many hold it. */
export function firstHolders(segment: Segment, hash: bigint, limit: number): number[] {
  const { words, fileId, documents } = segment
  const term = findTerm(words, Number(hash >> 32n), Number(hash & 0xffffffffn))
  if (term < 0) return []
  const { start, end } = postingRange(words, term)
  let at = words.postings.load(start, end)
  const last = at + end - start
  const postings = words.postings.bytes
  const found = new Set<number>()
  let document = -1
  while (at < last && found.size < limit) {
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
    found.add(fileId[fileAt(segment, document)]!)
  }
  return [...found]
}

/** The file whose documents this one is among. */
function fileAt({ fileFirst, files }: Segment, document: number): number {
  let low = 0
  let high = files - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (fileFirst[middle]! <= document) low = middle
    else high = middle - 1
  }
  return low
}
