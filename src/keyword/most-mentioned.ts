import { countOfTerm, mostDocuments } from "./count-documents.ts"
import { findTerm } from "./find-term.ts"
import type { SegmentState } from "./segment-state.ts"

/**
 * The largest counts of documents among many terms (u32 high and low of their hashes, little-endian), largest first,
 * at most `limit`. How long a term's postings are bounds its count, so that only the longest are counted: of a file's
 * names eight instead of all.
 */
export function mostMentioned(
  states: readonly SegmentState[],
  live: readonly Uint8Array[],
  hashes: Uint8Array,
  limit: number,
): number[] {
  const halves = new Uint32Array(hashes.slice().buffer)
  const names = halves.length >> 1
  // Of each name its place in every segment, and what its count cannot exceed: done is −1.
  const terms = new Int32Array(names * states.length)
  const most = new Float64Array(names)
  for (let name = 0; name < names; name++) {
    for (let i = 0; i < states.length; i++) {
      const { segment } = states[i]!
      const term = findTerm(segment.words, halves[name * 2]!, halves[name * 2 + 1]!)
      terms[name * states.length + i] = term
      most[name]! += mostDocuments(segment, term)
    }
  }
  const counts: number[] = []
  for (let done = 0; done < names; done++) {
    const name = largest(most)
    if (counts.length === limit && most[name]! <= counts[limit - 1]!) break
    most[name] = -1
    let count = 0
    for (let i = 0; i < states.length; i++)
      count += countOfTerm(states[i]!.segment, live[i]!, terms[name * states.length + i]!)
    insert(counts, count, limit)
  }
  return counts
}

function largest(values: Float64Array): number {
  let at = 0
  for (let i = 1; i < values.length; i++) if (values[i]! > values[at]!) at = i
  return at
}

/** Keeps the list largest first and short. */
function insert(counts: number[], count: number, limit: number): void {
  let at = counts.length
  while (at > 0 && counts[at - 1]! < count) at--
  counts.splice(at, 0, count)
  if (counts.length > limit) counts.pop()
}
