import type { DocumentSet } from "./document-set.ts"
import { CODE, CODE_MASK, GAP, GAP_BYTES, HEAD_BYTES, LONG_GAPS, longGap } from "./posting-code.ts"
import { seek, type VariantList } from "./posting-lists.ts"
import { tailEnd } from "./posting-names.ts"
import type { Segment } from "./segment.ts"

/**
 * How many chunks of a segment hold any of a term's variants: those of the commonest, and those of the others that it
 * lacks. The others are compounds and mostly rare (76 chunks of 27,000), so that little is read of the commonest.
 * `seen` is empty, and is left so.
 */
export function chunksOfAny(segment: Segment, lists: readonly VariantList[], seen: DocumentSet): number {
  const commonest = lists.reduce((most, list) => (list.chunks > most.chunks ? list : most))
  for (const list of lists) if (list !== commonest) addLacked(segment, list, commonest, seen)
  const count = commonest.chunks + seen.count
  if (seen.count > 0) seen.clear()
  return count
}

function addLacked(segment: Segment, list: VariantList, commonest: VariantList, seen: DocumentSet): void {
  const held: number[] = []
  const others: number[] = []
  let other = commonest.start
  for (let entry = list.start; entry < list.end; entry++) {
    const file = list.entries.files[entry]!
    readChunks(segment, list, entry, held)
    other = seek(commonest.entries.files, other, commonest.end, file)
    const isShared = other < commonest.end && commonest.entries.files[other] === file
    if (isShared) readChunks(segment, commonest, other, others)
    else others.length = 0
    let next = 0
    for (const document of held) {
      while (next < others.length && others[next]! < document) next++
      if (others[next] !== document) seen.add(document)
    }
  }
}

/** The chunks in an entry of a list, by document. */
function readChunks(segment: Segment, list: VariantList, entry: number, into: number[]): void {
  const { fileFirst, words } = segment
  const { entries, postings } = list
  const origin = words.postings.load(postings.start, postings.end)
  const { bytes } = words.postings
  const last = origin + postings.end - postings.start
  const header = fileFirst[entries.files[entry]!]!
  const end = fileFirst[entries.files[entry]! + 1]!
  let document = entries.befores[entry]!
  into.length = 0
  for (let at = origin + entries.starts[entry]!; at < last; ) {
    const first = bytes[at]!
    let gap = GAP[first]!
    const code = CODE[first]! | (bytes[at + 1]! & CODE_MASK[first]!)
    at += HEAD_BYTES[first]!
    if (first >= LONG_GAPS) {
      gap = longGap(bytes, at, first)
      at += GAP_BYTES[first]!
    }
    document += gap + 1
    if (document >= end) return
    at = tailEnd(bytes, at, code)
    if (document !== header) into.push(document)
  }
}
