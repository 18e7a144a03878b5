import type { FileFacts } from "./port.ts"
import { filePath, openSegment, type Segment } from "./segment.ts"

/** A segment and what queries need beside it; kept as long as its bytes, whatever index they are part of. */
export type SegmentState = {
  readonly segment: Segment
  /** Sums of the running query; all zero between queries. */
  readonly chunkScores: Float32Array
  /** The same memory as integers. */
  readonly chunkBits: Int32Array
  readonly chunkFrequencies: Float32Array
  readonly fileScores: Float32Array
  readonly fileFrequencies: Float32Array
  /** The best chunk's score, valid for the files touched by the running query. */
  readonly bestChunks: Float32Array
  readonly bestBits: Int32Array
  readonly touched: Uint32Array
  touchedCount: number
  readonly facts: (FileFacts | undefined)[]
  places: Map<number, number> | undefined
}

export function openState(bytes: Uint8Array, isVerified = false): SegmentState {
  const known = states.get(bytes)
  if (known !== undefined) return known
  const state = createState(openSegment(bytes, isVerified))
  states.set(bytes, state)
  return state
}

/** What is known of a file; made once, as paths have to be decoded. */
export function factsOf(state: SegmentState, file: number): FileFacts {
  const known = state.facts[file]
  if (known !== undefined) return known
  const { segment } = state
  const id = segment.fileId[file]!
  const facts = { id, path: filePath(segment, file), flags: segment.fileFlags[file]! }
  state.facts[file] = facts
  return facts
}

/** Where the file with this id stands in the segment. */
export function placeOf(state: SegmentState, id: number): number | undefined {
  if (state.places === undefined) {
    state.places = new Map()
    for (let file = 0; file < state.segment.files; file++) state.places.set(state.segment.fileId[file]!, file)
  }
  return state.places.get(id)
}

const states = new WeakMap<Uint8Array, SegmentState>()

function createState(segment: Segment): SegmentState {
  const { files, documents } = segment
  const chunkScores = new Float32Array(documents)
  const bestChunks = new Float32Array(files)
  return {
    segment,
    chunkScores,
    chunkBits: new Int32Array(chunkScores.buffer),
    chunkFrequencies: new Float32Array(documents),
    fileScores: new Float32Array(files),
    fileFrequencies: new Float32Array(files),
    bestChunks,
    bestBits: new Int32Array(bestChunks.buffer),
    touched: new Uint32Array(files),
    touchedCount: 0,
    facts: new Array(files),
    places: undefined,
  }
}
