import { firstNot } from "../../base/sorted.ts"
import type { FileFacts } from "../port.ts"
import { filePath, openSegment, openSegmentFile, type Segment, type SegmentFile } from "./segment.ts"

/**
 * A segment with the buffers that queries need. It is cached, across indexes, as long as the bytes or the file object
 * of the segment exist.
 */
export type SegmentState = {
  readonly segment: Segment
  /**
   * Sums of the running query, SUMS numbers per file: the score of the file, an upper bound of the score of its best
   * chunk, and an upper bound for its best three chunks (weights 1, .6, .4). All are zero between queries.
   */
  readonly sums: Float32Array
  /**
   * The files that contain a term of the running query: the first `touchedCount` entries. `isTouched` has a flag per
   * file; all flags are 0 between queries.
   */
  readonly touched: Uint32Array
  readonly isTouched: Uint8Array
  touchedCount: number
  /**
   * The file of every fourth document, starting with document 0. A document in between belongs to the same file or to
   * one of the next files.
   */
  readonly fileNear: Uint32Array
  readonly facts: (FileFacts | undefined)[]
  /**
   * Pairs of position and id of all files, sorted by id; undefined until there are enough lookups to be worth sorting.
   */
  places: Uint32Array | undefined
  /** Number of linear searches through all file ids so far. */
  walks: number
  seen: DocumentSet | undefined
}

/** The number of a document, shifted right by this many bits, is its index in `fileNear`. */
export const NEAR_SHIFT = 2

export const SUMS = 3
export const CHUNK_BOUND = 1
export const TOP_BOUND = 2

export function openState(source: Uint8Array | SegmentFile, isVerified = false): SegmentState {
  const opened = states.get(source)
  if (opened !== undefined) return opened
  const state = createState(
    source instanceof Uint8Array ? openSegment(source, isVerified) : openSegmentFile(source),
  )
  states.set(source, state)
  return state
}

/** Id, path and flags of a file. */
export function factsOf(state: SegmentState, file: number): FileFacts {
  const cached = state.facts[file]
  if (cached !== undefined) return cached
  const { segment } = state
  return { id: segment.fileId[file]!, path: filePath(segment, file), flags: segment.fileFlags[file]! }
}

/**
 * Like `factsOf`, but cached, because a filter reads the facts of all files in every query, and decoding paths takes
 * long.
 */
export function cachedFactsOf(state: SegmentState, file: number): FileFacts {
  state.facts[file] ??= factsOf(state, file)
  return state.facts[file]
}

/**
 * The sorted table `places` is built after this many linear searches. Building it takes about as long as these
 * searches, whatever the number of files.
 */
const WALKS = 2_000

/** The position in the segment of the file with this id; undefined if the segment does not contain the file. */
export function segmentIndex(state: SegmentState, id: number): number | undefined {
  if (state.places === undefined) {
    if (state.walks++ < WALKS) {
      const file = state.segment.fileId.indexOf(id)
      return file < 0 ? undefined : file
    }
    state.places = byId(state.segment.fileId)
  }
  const { places } = state
  const low = firstNot(0, places.length / 2, (i) => places[2 * i + 1]! < id)
  return places[2 * low + 1] === id ? places[2 * low] : undefined
}

/**
 * Pairs of position and id. They are sorted as 64-bit numbers, of which the id is the upper half on little-endian
 * machines.
 */
function byId(ids: Uint32Array): Uint32Array {
  const places = new Uint32Array(2 * ids.length)
  for (let file = 0; file < ids.length; file++) {
    places[2 * file] = file
    places[2 * file + 1] = ids[file]!
  }
  new BigUint64Array(places.buffer).sort()
  return places
}

/** The segment's set of documents, which all queries use in turn. It is empty, and the caller must leave it empty. */
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
    isTouched: new Uint8Array(files),
    touchedCount: 0,
    fileNear: filesNear(segment),
    facts: new Array(files),
    places: undefined,
    walks: 0,
    seen: undefined,
  }
}

/**
 * Every fourth value of the column fileOf. The documents of a rare word are far apart, so each lookup reads another
 * cache line; a quarter of the column fits into the processor's cache, the whole column does not.
 */
function filesNear({ files, documents, fileFirst }: Segment): Uint32Array {
  const near = new Uint32Array(Math.ceil(documents / 2 ** NEAR_SHIFT))
  let at = 0
  for (let file = 0; file < files; file++) {
    const end = fileFirst[file + 1]!
    for (; at << NEAR_SHIFT < end && at < near.length; at++) near[at] = file
  }
  return near
}

/** A set of documents of one segment, with one bit per document. */
export class DocumentSet {
  count = 0
  private readonly bits: Uint32Array

  constructor(documents: number) {
    this.bits = new Uint32Array((documents + 31) >>> 5)
  }

  add(document: number): void {
    const at = document >>> 5
    const before = this.bits[at]!
    const bit = (before >>> (document & 31)) & 1
    this.bits[at] = before | (1 << (document & 31))
    this.count += 1 - bit
  }

  clear(): void {
    this.bits.fill(0)
    this.count = 0
  }
}
