import { type Bm25Parameters, type ChunkScoreField, type FileScoreField, lengthNorm } from "./bm25.ts"
import { decodeLength } from "./length-code.ts"
import type { FileFacts } from "./port.ts"
import { factsOf, type SegmentState } from "./segment-state.ts"

export type Parameters = {
  readonly file: Bm25Parameters<FileScoreField>
  readonly chunk: Bm25Parameters<ChunkScoreField>
}

/** The files a query is about, and what follows from them alone: how many they are, and all length norms. */
export type Population = {
  readonly files: number
  readonly chunks: number
  /** Per segment, 1 for each file that counts. */
  readonly live: readonly Uint8Array[]
  /** Per segment and file five numbers, weight × norm of body, doc, names, stem and dirs. */
  readonly fileNorms: readonly Float32Array[]
  /** Weight × norm by length code. */
  readonly bodyNorms: Float32Array
  readonly docNorms: Float32Array
  readonly namesNorms: Float32Array
}

export const NORMS_PER_FILE = 5

export function createPopulation(
  states: readonly SegmentState[],
  live: readonly Uint8Array[],
  parameters: Parameters,
): Population {
  const totals = sumUp(states, live)
  const { chunk } = parameters
  const norms = (field: ChunkScoreField, words: number) =>
    chunkNorms(chunk.weights[field], chunk.b[field], words / Math.max(1, totals.chunks))
  return {
    files: totals.files,
    chunks: totals.chunks,
    live,
    fileNorms: states.map((state, i) => fileNorms(state, live[i]!, totals, parameters.file)),
    bodyNorms: norms("body", totals.body),
    docNorms: norms("doc", totals.doc),
    namesNorms: norms("names", totals.names),
  }
}

export function notDead(state: SegmentState, dead: ReadonlySet<number>): Uint8Array {
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
  return live.map((flag, file) => (flag === 1 && accept(factsOf(state, file)) ? 1 : 0))
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

function sumUp(states: readonly SegmentState[], live: readonly Uint8Array[]): Totals {
  const totals = { files: 0, chunks: 0, body: 0, doc: 0, names: 0, stem: 0, dirs: 0 }
  for (let i = 0; i < states.length; i++) {
    const { files, fileFirst, fileBody, fileDoc, fileNames, fileWords } = states[i]!.segment
    for (let file = 0; file < files; file++) {
      if (live[i]![file] === 0) continue
      totals.files++
      totals.chunks += fileFirst[file + 1]! - fileFirst[file]! - 1
      totals.body += fileBody[file]!
      totals.doc += fileDoc[file]!
      totals.names += fileNames[file]!
      totals.stem += fileWords[file]! & 0xffff
      totals.dirs += fileWords[file]! >>> 16
    }
  }
  return totals
}

function fileNorms(
  state: SegmentState,
  live: Uint8Array,
  totals: Totals,
  { weights, b }: Bm25Parameters<FileScoreField>,
): Float32Array {
  const { files, fileBody, fileDoc, fileNames, fileWords } = state.segment
  const norms = new Float32Array(files * NORMS_PER_FILE)
  const count = Math.max(1, totals.files)
  const averages = {
    body: totals.body / count,
    doc: totals.doc / count,
    names: totals.names / count,
    stem: totals.stem / count,
    dirs: totals.dirs / count,
  }
  for (let file = 0, at = 0; file < files; file++, at += NORMS_PER_FILE) {
    if (live[file] === 0) continue
    norms[at] = weights.body * lengthNorm(b.body, fileBody[file]!, averages.body)
    norms[at + 1] = weights.doc * lengthNorm(b.doc, fileDoc[file]!, averages.doc)
    norms[at + 2] = weights.names * lengthNorm(b.names, fileNames[file]!, averages.names)
    norms[at + 3] = weights.stem * lengthNorm(b.stem, fileWords[file]! & 0xffff, averages.stem)
    norms[at + 4] = weights.dirs * lengthNorm(b.dirs, fileWords[file]! >>> 16, averages.dirs)
  }
  return norms
}

function chunkNorms(weight: number, b: number, average: number): Float32Array {
  return Float32Array.from({ length: 256 }, (_, code) => weight * lengthNorm(b, decodeLength(code), average))
}
