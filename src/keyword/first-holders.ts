import { findTerm, postingRange } from "./find-term.ts"
import type { Segment } from "./segment.ts"
import { ESCAPE } from "./tuple-code.ts"

/** The first few files of a segment that hold a term, by id; at once, however many hold it. */
export function firstHolders(segment: Segment, hash: bigint, limit: number): number[] {
  const { words, fileId, documents } = segment
  const term = findTerm(words, Number(hash >> 32n), Number(hash & 0xffffffffn))
  if (term < 0) return []
  const range = postingRange(words, term)
  const found = new Set<number>()
  let document = -1
  for (let at = range.start; at < range.end && found.size < limit; ) {
    let byte = words.postings[at++]!
    let gap = byte & 127
    for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
      byte = words.postings[at++]!
      gap |= (byte & 127) << shift
    }
    document += gap + 1
    if (document >= documents) break
    if (words.postings[at++] === ESCAPE) at += 3
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
