import { type Bm25Parameters, type ChunkScoreField, type FileScoreField, lengthNorm } from "../bm25.ts"
import type { Segment } from "../format/segment.ts"
import { cachedFactsOf, type SegmentState } from "../format/segment-state.ts"
import { decodeLength } from "../format/tuple-code.ts"
import type { FileFacts } from "../port.ts"

export type FieldParameters = {
  readonly file: Bm25Parameters<FileScoreField>
  readonly chunk: Bm25Parameters<ChunkScoreField>
}

/**
 * The files that a query can match, with the numbers that depend only on these files: document counts and length norms.
 */
export type Population = {
  readonly files: number
  readonly chunks: number
  /** For each segment, one flag per file: 1 if the file counts. */
  readonly live: readonly Uint8Array[]
  /**
   * For each segment, NORMS_PER_FILE numbers per file: weight × norm for body, doc, names, stem and dirs. They are 0
   * until `noteNorms` is called.
   */
  readonly fileNorms: readonly Float32Array[]
  /** Weight × norm of a chunk's field, indexed by the code of its length. */
  readonly bodyNorms: Float32Array
  readonly docNorms: Float32Array
  readonly namesNorms: Float32Array
  readonly fileParameters: Bm25Parameters<FileScoreField>
  /** Mean number of words per file, by field. */
  readonly averages: Readonly<Record<FileScoreField, number>>
}

export const NORMS_PER_FILE = 5

export function createPopulation(
  states: readonly SegmentState[],
  live: readonly Uint8Array[],
  parameters: FieldParameters,
): Population {
  const totals = totalsOf(states, live)
  const files = Math.max(1, totals.files)
  const { chunk } = parameters
  const norms = (field: ChunkScoreField, words: number) =>
    chunkNorms(chunk.weights[field], chunk.b[field], words / Math.max(1, totals.chunks))
  return {
    files: totals.files,
    chunks: totals.chunks,
    live,
    fileNorms: states.map(({ segment }) => new Float32Array(segment.files * NORMS_PER_FILE)),
    bodyNorms: norms("body", totals.body),
    docNorms: norms("doc", totals.doc),
    namesNorms: norms("names", totals.names),
    fileParameters: parameters.file,
    averages: {
      body: totals.body / files,
      doc: totals.doc / files,
      names: totals.names / files,
      stem: totals.stem / files,
      dirs: totals.dirs / files,
    },
  }
}

/** Computes the norms of a file. Called when a query first needs them, because most files are never needed. */
export function noteNorms(
  { averages, fileParameters: { weights, b } }: Population,
  { fileBody, fileDoc, fileNames, fileWords }: Segment,
  file: number,
  norms: Float32Array,
): void {
  const at = file * NORMS_PER_FILE
  norms[at] = weights.body * lengthNorm(b.body, fileBody[file]!, averages.body)
  norms[at + 1] = weights.doc * lengthNorm(b.doc, fileDoc[file]!, averages.doc)
  norms[at + 2] = weights.names * lengthNorm(b.names, fileNames[file]!, averages.names)
  norms[at + 3] = weights.stem * lengthNorm(b.stem, fileWords[file]! & 0xffff, averages.stem)
  norms[at + 4] = weights.dirs * lengthNorm(b.dirs, fileWords[file]! >>> 16, averages.dirs)
}

export function liveDocuments(state: SegmentState, dead: ReadonlySet<number>): Uint8Array {
  const live = new Uint8Array(state.segment.files).fill(1)
  if (dead.size === 0) return live
  const ids = state.segment.fileId
  for (let file = 0; file < live.length; file++) if (dead.has(ids[file]!)) live[file] = 0
  return live
}

export function accepted(
  state: SegmentState,
  live: Uint8Array,
  accept: (file: FileFacts) => boolean,
): Uint8Array {
  return live.map((flag, file) => (flag === 1 && accept(cachedFactsOf(state, file)) ? 1 : 0))
}

type Totals = {
  files: number
  chunks: number
  body: number
  doc: number
  names: number
  stem: number
  dirs: number
}

function totalsOf(states: readonly SegmentState[], live: readonly Uint8Array[]): Totals {
  const totals = { files: 0, chunks: 0, body: 0, doc: 0, names: 0, stem: 0, dirs: 0 }
  for (const [i, { segment }] of states.entries()) {
    // Most segments have no deleted files. Going through all files of a large segment would be most of the cost of
    // opening it.
    if (live[i]!.includes(0)) addLive(totals, segment, live[i]!)
    else addAll(totals, segment)
  }
  return totals
}

function addAll(totals: Totals, segment: Segment): void {
  totals.files += segment.files
  totals.chunks += segment.documents - segment.files
  totals.body += segment.bodyWords
  totals.doc += segment.docWords
  totals.names += segment.namesWords
  totals.stem += segment.stemWords
  totals.dirs += segment.dirsWords
}

function addLive(totals: Totals, segment: Segment, live: Uint8Array): void {
  const { files, fileFirst, fileBody, fileDoc, fileNames, fileWords } = segment
  for (let file = 0; file < files; file++) {
    if (live[file] === 0) continue
    totals.files++
    totals.chunks += fileFirst[file + 1]! - fileFirst[file]! - 1
    totals.body += fileBody[file]!
    totals.doc += fileDoc[file]!
    totals.names += fileNames[file]!
    totals.stem += fileWords[file]! & 0xffff
    totals.dirs += fileWords[file]! >>> 16
  }
}

function chunkNorms(weight: number, b: number, average: number): Float32Array {
  const norms = new Float32Array(256)
  for (let code = 0; code < 256; code++) norms[code] = weight * lengthNorm(b, decodeLength(code), average)
  return norms
}
