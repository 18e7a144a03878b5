import type { ChunkHit, FileHit, KeywordQuery, SymbolHit } from "./port.ts"
import type { PostingLists } from "./scan.ts"
import type { ScoredTerm } from "./score.ts"
import { factsOf, type SegmentState } from "./segment-state.ts"
import { scoreOfTopChunks } from "./select-files.ts"

/** Masks of a file's documents while it is looked at, header first; grows to the largest file met. */
export type MaskScratch = { first: Uint32Array; second: Uint32Array; third: Uint32Array }

export function createMaskScratch(): MaskScratch {
  return { first: new Uint32Array(256), second: new Uint32Array(256), third: new Uint32Array(256) }
}

/** The second look at one file of a segment: which terms stand where, and its best chunks. */
export function fileHit(
  state: SegmentState,
  place: number,
  file: number,
  terms: readonly ScoredTerm[],
  lists: PostingLists,
  symbols: readonly SymbolHit[],
  scratch: MaskScratch,
  acceptChunk?: KeywordQuery["acceptChunk"],
): FileHit {
  const { segment } = state
  const header = segment.fileFirst[file]!
  const end = segment.fileFirst[file + 1]!
  clearMasks(scratch, end - header)
  for (let term = 0; term < terms.length; term++) {
    for (const list of terms[term]!.lists) {
      if (list.segment === place) markTerm(lists, list, header, end, 1 << term, scratch)
    }
  }
  const { first, second, third } = scratch
  const isTouched = state.fileScores[file]! > 0
  return {
    ...factsOf(state, file),
    lines: segment.fileLines[file]!,
    chunkCount: end - header - 1,
    nameCount: segment.firstSymbol[end]! - segment.firstSymbol[header]!,
    score: state.fileScores[file]!,
    bestChunk: isTouched ? state.bestChunks[file]! : 0,
    topChunks: isTouched ? scoreOfTopChunks(state, file) : 0,
    masks: {
      body: union(first, end - header),
      doc: union(second, end - header),
      names: union(third, end - header),
      stem: first[0]!,
      dirs: second[0]!,
      head: third[0]!,
    },
    stemWords: segment.fileWords[file]! & 0xffff,
    dirWords: segment.fileWords[file]! >>> 16,
    chunks: isTouched ? bestChunks(state, header, end, scratch, acceptChunk) : [],
    symbols,
  }
}

const MOST_CHUNKS = 12

function clearMasks(scratch: MaskScratch, documents: number): void {
  if (documents > scratch.first.length) {
    const capacity = Math.max(documents, scratch.first.length * 2)
    scratch.first = new Uint32Array(capacity)
    scratch.second = new Uint32Array(capacity)
    scratch.third = new Uint32Array(capacity)
    return
  }
  scratch.first.fill(0, 0, documents)
  scratch.second.fill(0, 0, documents)
  scratch.third.fill(0, 0, documents)
}

function markTerm(
  { documents, fields }: PostingLists,
  list: { readonly start: number; readonly end: number },
  header: number,
  end: number,
  bit: number,
  { first, second, third }: MaskScratch,
): void {
  for (let i = lowerBound(documents, list.start, list.end, header); i < list.end; i++) {
    const document = documents[i]!
    if (document >= end) return
    const held = fields[i]!
    const at = document - header
    if ((held & 1) !== 0) first[at]! |= bit
    if ((held & 2) !== 0) second[at]! |= bit
    if ((held & 4) !== 0) third[at]! |= bit
  }
}

function lowerBound(sorted: Uint32Array, start: number, end: number, value: number): number {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}

/** The masks of all chunks together; place 0 is the header document. */
function union(masks: Uint32Array, documents: number): number {
  let all = 0
  for (let i = 1; i < documents; i++) all |= masks[i]!
  return all
}

function bestChunks(
  state: SegmentState,
  header: number,
  end: number,
  scratch: MaskScratch,
  accept: KeywordQuery["acceptChunk"],
): ChunkHit[] {
  const scores = state.chunkScores
  const id = state.segment.fileId[state.segment.fileOf[header]!]!
  const best: number[] = []
  for (let document = header + 1; document < end; document++) {
    const score = scores[document]!
    if (score === 0) continue
    if (best.length === MOST_CHUNKS && score <= scores[best[MOST_CHUNKS - 1]!]!) continue
    if (accept !== undefined && !accept(id, document - header - 1)) continue
    if (best.length === MOST_CHUNKS) best.pop()
    let at = best.length
    while (at > 0 && scores[best[at - 1]!]! < score) at--
    best.splice(at, 0, document)
  }
  const { chunkStart, chunkEnd } = state.segment
  return best.map((document) => ({
    ordinal: document - header - 1,
    startLine: chunkStart[document]!,
    endLine: chunkEnd[document]!,
    score: scores[document]!,
    body: scratch.first[document - header]!,
    doc: scratch.second[document - header]!,
    names: scratch.third[document - header]!,
  }))
}
