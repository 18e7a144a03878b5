import { countOfTerm, mostDocuments } from "./count-documents.ts"
import { findTerm } from "./find-term.ts"
import type { SegmentState } from "./segment-state.ts"

type Mention = { readonly terms: readonly number[]; readonly most: number }

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
  const counts: number[] = []
  for (const { terms, most } of longestFirst(states, hashes)) {
    if (counts.length === limit && most <= counts[limit - 1]!) break
    const count = terms.reduce((sum, term, i) => sum + countOfTerm(states[i]!.segment, live[i]!, term), 0)
    insert(counts, count, limit)
  }
  return counts
}

function longestFirst(states: readonly SegmentState[], hashes: Uint8Array): Mention[] {
  const view = new DataView(hashes.buffer, hashes.byteOffset, hashes.byteLength)
  const mentions: Mention[] = []
  for (let at = 0; at + 8 <= hashes.byteLength; at += 8) {
    const [hi, lo] = [view.getUint32(at, true), view.getUint32(at + 4, true)]
    const terms = states.map(({ segment }) => findTerm(segment.words, hi, lo))
    const most = terms.reduce((sum, term, i) => sum + mostDocuments(states[i]!.segment, term), 0)
    mentions.push({ terms, most })
  }
  return mentions.sort((a, b) => b.most - a.most)
}

/** Keeps the list largest first and short. */
function insert(counts: number[], count: number, limit: number): void {
  let at = counts.length
  while (at > 0 && counts[at - 1]! < count) at--
  counts.splice(at, 0, count)
  if (counts.length > limit) counts.pop()
}
