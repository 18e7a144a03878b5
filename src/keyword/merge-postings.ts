import { type ByteWriter, positionOf, reserveBytes } from "./byte-writer.ts"
import { LONGEST_POSTING, writeGap } from "./encode-postings.ts"
import { GrowingU32 } from "./growing.ts"
import { DROPPED } from "./merge-plan.ts"
import { RunMerger } from "./run-merger.ts"
import type { PostingSpace } from "./segment.ts"
import type { SegmentWriter } from "./segment-writer.ts"
import { TermHeap } from "./term-heap.ts"
import { ESCAPE } from "./tuple-code.ts"

/** A space to merge, and the new number of each of its documents. */
export type MappedSpace = { readonly space: PostingSpace; readonly map: Uint32Array }

/** Merges dictionaries and postings term by term; returns how many terms are left. */
export function mergePostings(
  spaces: readonly MappedSpace[],
  writer: SegmentWriter,
  section: "postings" | "namePostings",
  [hi, lo, at]: readonly ["termHi", "termLo", "termAt"] | readonly ["nameHi", "nameLo", "nameAt"],
): number {
  // As many as there can be: pages that are never written cost nothing, and growing would copy megabytes.
  const most = spaces.reduce((sum, { space }) => sum + space.hi.length, 1)
  const his = new GrowingU32(most)
  const los = new GrowingU32(most)
  const ats = new GrowingU32(most)
  const withFrequencies = section === "postings"
  writer.stream(section, (out) => {
    const start = positionOf(out)
    const heap = new TermHeap(spaces.map(({ space }) => space))
    const merger = new RunMerger()
    while (heap.size > 0) {
      const termHi = heap.hi
      const termLo = heap.lo
      merger.clear()
      do {
        const { space, map } = spaces[heap.top]!
        gather(space, heap.term, map, merger, withFrequencies)
        heap.advance()
      } while (heap.size > 0 && heap.hi === termHi && heap.lo === termLo)
      if (merger.length === 0) continue
      his.push(termHi)
      los.push(termLo)
      ats.push(positionOf(out) - start)
      encode(merger, out, withFrequencies)
    }
    ats.push(positionOf(out) - start)
  })
  writer.add(hi, his.view())
  writer.add(lo, los.view())
  writer.add(at, ats.view())
  return his.length
}

/** Escaped frequencies stand in a posting's value above all codes, eight bits each. */
const ESCAPED_AT = 256

function gather(
  { at: starts, postings }: PostingSpace,
  term: number,
  map: Uint32Array,
  merger: RunMerger,
  withFrequencies: boolean,
): void {
  const end = Math.min(starts[term + 1]!, postings.length)
  let at = starts[term]!
  let document = -1
  merger.reserve(end - at)
  while (at < end) {
    let byte = postings[at++]!
    let gap = byte & 127
    for (let shift = 7; byte > 127 && shift < 35; shift += 7) {
      byte = postings[at++]!
      gap |= (byte & 127) << shift
    }
    document += (gap >>> 0) + 1
    if (document >= map.length) return
    let value = withFrequencies ? postings[at++]! : 0
    if (value === ESCAPE) {
      value = ESCAPED_AT + (postings[at]! | (postings[at + 1]! << 8) | (postings[at + 2]! << 16))
      at += 3
    }
    const renumbered = map[document]!
    if (renumbered !== DROPPED) merger.push(renumbered, value)
  }
}

function encode(merger: RunMerger, out: ByteWriter, withFrequencies: boolean): void {
  merger.merge()
  const { keys, values, length } = merger
  reserveBytes(out, length * LONGEST_POSTING)
  const { bytes } = out
  let at = out.length
  let before = -1
  for (let i = 0; i < length; i++) {
    const document = keys[i]!
    at = writeGap(bytes, at, document - before - 1)
    before = document
    if (!withFrequencies) continue
    const value = values[i]!
    if (value < ESCAPED_AT) {
      bytes[at++] = value
      continue
    }
    const frequencies = value - ESCAPED_AT
    bytes[at++] = ESCAPE
    bytes[at++] = frequencies
    bytes[at++] = frequencies >>> 8
    bytes[at++] = frequencies >>> 16
  }
  out.length = at
}
