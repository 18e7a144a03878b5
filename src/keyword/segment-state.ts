import { DocumentSet } from "./document-set.ts"
import type { FileFacts } from "./port.ts"
import { filePath, openSegment, openSegmentFile, type Segment, type SegmentFile } from "./segment.ts"

/**
 * A segment and what queries need beside it; kept as long as its bytes or its file, whatever index they are part of.
 */
export type SegmentState = {
  readonly segment: Segment
  /**
   * Sums of the running query, SUMS for each file: its score, and what its best chunk and its best three (1, .6, .4)
   * can score at most. All zero between queries.
   */
  readonly sums: Float32Array
  readonly touched: Uint32Array
  touchedCount: number
  /** The file of every fourth document, from the first on: what is near there is in it or in one soon after. */
  readonly fileNear: Uint32Array
  readonly facts: (FileFacts | undefined)[]
  /** Place and id of each file, by ascending ids. */
  places: Uint32Array | undefined
  /** Through the ids of all files, to find one. */
  walks: number
  seen: DocumentSet | undefined
}

/** A document's place in `fileNear`. */
export const NEAR_SHIFT = 2

export const SUMS = 3
export const CHUNK_BOUND = 1
export const TOP_BOUND = 2

export function openState(source: Uint8Array | SegmentFile, isVerified = false): SegmentState {
  const known = states.get(source)
  if (known !== undefined) return known
  const state = createState(
    source instanceof Uint8Array ? openSegment(source, isVerified) : openSegmentFile(source),
  )
  states.set(source, state)
  return state
}

/** What is known of a file. */
export function factsOf(state: SegmentState, file: number): FileFacts {
  const known = state.facts[file]
  if (known !== undefined) return known
  const { segment } = state
  return { id: segment.fileId[file]!, path: filePath(segment, file), flags: segment.fileFlags[file]! }
}

/** The same, kept: who looks at all files does so again, and paths have to be decoded. */
export function keptFactsOf(state: SegmentState, file: number): FileFacts {
  state.facts[file] ??= factsOf(state, file)
  return state.facts[file]
}

/** A table of all files takes as long as so many walks through their ids, however many files there are. */
const WALKS = 2_000

/** Where the file with this id stands in the segment. */
export function placeOf(state: SegmentState, id: number): number | undefined {
  if (state.places === undefined) {
    if (state.walks++ < WALKS) {
      const file = state.segment.fileId.indexOf(id)
      return file < 0 ? undefined : file
    }
    state.places = byId(state.segment.fileId)
  }
  const { places } = state
  let low = 0
  let high = places.length / 2
  while (low < high) {
    const middle = (low + high) >>> 1
    if (places[2 * middle + 1]! < id) low = middle + 1
    else high = middle
  }
  return places[2 * low + 1] === id ? places[2 * low] : undefined
}

/** Sorted as numbers of 64 bits, whose upper half, as all supported machines keep them, is the second. */
function byId(ids: Uint32Array): Uint32Array {
  const places = new Uint32Array(2 * ids.length)
  for (let file = 0; file < ids.length; file++) {
    places[2 * file] = file
    places[2 * file + 1] = ids[file]!
  }
  new BigUint64Array(places.buffer).sort()
  return places
}

/** An empty set of its documents, which the caller leaves empty. */
export function seenDocuments(state: SegmentState): DocumentSet {
  state.seen ??= new DocumentSet(state.segment.documents)
  return state.seen
}

const states = new WeakMap<Uint8Array | SegmentFile, SegmentState>()

function createState(segment: Segment): SegmentState {
  const { files } = segment
  return {
    segment,
    sums: new Float32Array(files * SUMS),
    touched: new Uint32Array(files),
    touchedCount: 0,
    fileNear: filesNear(segment),
    facts: new Array(files),
    places: undefined,
    walks: 0,
    seen: undefined,
  }
}

/** A quarter of the column fileOf: a scan of a rare word touches a line of it for each document, and few are cached. */
function filesNear({ files, documents, fileFirst }: Segment): Uint32Array {
  const near = new Uint32Array(Math.ceil(documents / 2 ** NEAR_SHIFT))
  let at = 0
  for (let file = 0; file < files; file++) {
    const end = fileFirst[file + 1]!
    for (; at << NEAR_SHIFT < end && at < near.length; at++) near[at] = file
  }
  return near
}
