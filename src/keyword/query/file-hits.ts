import { type Segment, symbolCount } from "../format/segment.ts"
import { cachedFactsOf, type SegmentState, SUMS } from "../format/segment-state.ts"
import type { ChunkHit, FileHit, KeywordQuery, SymbolHit } from "../port.ts"
import type { ChunkScores } from "./chunk-scores.ts"

/** The hit for the file at index `i` of the scored files: its term masks, its scores and its best chunks. */
export function fileHit(
  state: SegmentState,
  chunkScores: ChunkScores,
  i: number,
  symbols: readonly SymbolHit[],
  acceptChunk?: KeywordQuery["acceptChunk"],
): FileHit {
  const { segment } = state
  const { first, second, third, starts } = chunkScores
  const file = chunkScores.files[i]!
  const from = starts[i]!
  const to = starts[i + 1]!
  const { id, path, flags } = cachedFactsOf(state, file)
  return {
    id,
    path,
    flags,
    lines: segment.fileLines[file]!,
    chunkCount: to - from - 1,
    nameCount: symbolCount(segment, file),
    score: state.sums[file * SUMS]!,
    bestChunk: chunkScores.best(i),
    topChunks: chunkScores.topChunks(i),
    masks: {
      body: union(first, from, to),
      doc: union(second, from, to),
      names: union(third, from, to),
      stem: first[from]!,
      dirs: third[from]!,
      head: second[from]!,
    },
    stemWords: segment.fileWords[file]! & 0xffff,
    dirWords: segment.fileWords[file]! >>> 16,
    chunks: bestChunks(segment, chunkScores, i, acceptChunk),
    symbols,
  }
}

const MAX_CHUNKS = 12

/** Bitwise OR of the masks of all chunks. The document at `from` is the header of the file and is left out. */
function union(masks: Uint32Array, from: number, to: number): number {
  let all = 0
  for (let at = from + 1; at < to; at++) all |= masks[at]!
  return all
}

function bestChunks(
  { fileId, fileFirst, chunkStart, chunkEnd }: Segment,
  { files, starts, scores, first, second, third }: ChunkScores,
  i: number,
  accept: KeywordQuery["acceptChunk"],
): ChunkHit[] {
  const file = files[i]!
  const from = starts[i]!
  const best: number[] = []
  for (let at = from + 1; at < starts[i + 1]!; at++) {
    const score = scores[at]!
    if (score === 0) continue
    if (best.length === MAX_CHUNKS && score <= scores[best[MAX_CHUNKS - 1]!]!) continue
    if (accept !== undefined && !accept(fileId[file]!, at - from - 1)) continue
    if (best.length === MAX_CHUNKS) best.pop()
    let place = best.push(at) - 1
    for (; place > 0 && scores[best[place - 1]!]! < score; place--) best[place] = best[place - 1]!
    best[place] = at
  }
  const header = fileFirst[file]! - from
  return best.map((at) => ({
    ordinal: at - from - 1,
    startLine: chunkStart[header + at]!,
    endLine: chunkEnd[header + at]!,
    score: scores[at]!,
    body: first[at]!,
    doc: second[at]!,
    names: third[at]!,
  }))
}
