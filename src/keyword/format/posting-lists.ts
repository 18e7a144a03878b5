import { firstAtLeast } from "../../base/sorted.ts"
import type { PostingRange } from "./find-term.ts"

/**
 * Statistics of one term, one entry for each file that contains it, in the order of files. They decide in which files
 * chunks are scored, and say where the postings of each file are.
 */
export type Entries = {
  readonly files: Uint32Array
  /**
   * Frequency in all documents of the file, weighted and normalized; 0 if only the head of the file contains the term.
   */
  readonly frequencies: Float32Array
  /**
   * Highest frequency in one chunk of the file, weighted and normalized for chunks; 0 if no chunk contains the term.
   */
  readonly maxFrequencies: Float32Array
  /** Number of chunks that contain the term, limited to 3. */
  readonly chunks: Uint8Array
  /**
   * Byte offset in the list of the file's first posting. `previousDocuments`: the document of the posting before it; −1
   * if it is the first of the list.
   */
  readonly starts: Uint32Array
  readonly previousDocuments: Int32Array
}

/** One term in one segment. Its entries are those from `start` to `end`. */
export type PostingList = {
  readonly segment: number
  readonly entries: Entries
  readonly start: number
  readonly end: number
  /**
   * Number of files that contain the term, without files that contain it only in their head. `chunks`: number of chunks
   * that contain it.
   */
  readonly holding: number
  readonly chunks: number
  readonly weight: number
}

/** The list of one variant of a term. Its postings can be read again. */
export type VariantList = PostingList & {
  /** The position of the term in the dictionary. */
  readonly term: number
  readonly postings: PostingRange
}

const INITIAL_ENTRIES = 1 << 10
const NOTHING = entriesOf(0)

/** The entries of a query, one list after the other, in arrays that the next query reuses; see Scratch. */
export class EntryBuffer {
  entries: Entries = NOTHING
  count = 0
  #reusable = new WeakRef(NOTHING)

  /** Makes room for `more` entries, if necessary in new arrays. Earlier lists keep the old arrays. */
  reserve(more: number): void {
    const { length } = this.entries.files
    if (this.count + more <= length) return
    this.entries = entriesOf(Math.max(more, length * 2, INITIAL_ENTRIES))
    this.count = 0
  }

  /** Must be called before a query. */
  begin(): void {
    this.entries = this.#reusable.deref() ?? NOTHING
    this.count = 0
  }

  /** Must be called after a query. Lists of the query must not be used any more. */
  end(): void {
    if (this.#reusable.deref() !== this.entries) this.#reusable = new WeakRef(this.entries)
    this.entries = NOTHING
    this.count = 0
  }
}

export function byteLength({ start, end }: PostingList): number {
  return (end - start) * BYTES_PER_ENTRY
}

const BYTES_PER_ENTRY = 21

/** Copies the entries of a list into new arrays, so that the list stays valid after the query. */
export function copyList(list: VariantList): VariantList {
  const { start, end, entries } = list
  const copied = {
    files: entries.files.slice(start, end),
    frequencies: entries.frequencies.slice(start, end),
    maxFrequencies: entries.maxFrequencies.slice(start, end),
    chunks: entries.chunks.slice(start, end),
    starts: entries.starts.slice(start, end),
    previousDocuments: entries.previousDocuments.slice(start, end),
  }
  return { ...list, entries: copied, start: 0, end: end - start }
}

/** Index of the first entry, from index `from` on, whose file is `file` or later; `end` if there is none. */
export function seek(files: Uint32Array, from: number, end: number, file: number): number {
  let low = from
  let step = 4
  let high = Math.min(low + step, end)
  while (high < end && files[high - 1]! < file) {
    low = high
    step *= 2
    high = Math.min(low + step, end)
  }
  return firstAtLeast(files, file, low, high)
}

/**
 * Merges two lists of one segment and adds up their frequencies. `chunks` is the number of chunks of the merged list.
 */
export function mergeLists(a: PostingList, b: PostingList, chunks: number, buffer: EntryBuffer): PostingList {
  buffer.reserve(a.end - a.start + b.end - b.start)
  const { entries } = buffer
  const start = buffer.count
  let holding = 0
  let at = start
  let i = a.start
  let j = b.start
  while (i < a.end || j < b.end) {
    const ofA = i < a.end ? a.entries.files[i]! : Number.POSITIVE_INFINITY
    const ofB = j < b.end ? b.entries.files[j]! : Number.POSITIVE_INFINITY
    let frequency = 0
    let maxFrequency = 0
    let chunkCount = 0
    if (ofA <= ofB) {
      frequency = a.entries.frequencies[i]!
      maxFrequency = a.entries.maxFrequencies[i]!
      chunkCount = a.entries.chunks[i++]!
    }
    if (ofB <= ofA) {
      frequency += b.entries.frequencies[j]!
      maxFrequency += b.entries.maxFrequencies[j]!
      chunkCount += b.entries.chunks[j++]!
    }
    entries.files[at] = Math.min(ofA, ofB)
    entries.frequencies[at] = frequency
    entries.maxFrequencies[at] = maxFrequency
    entries.chunks[at++] = Math.min(chunkCount, 3)
    if (frequency > 0) holding++
  }
  buffer.count = at
  return {
    segment: a.segment,
    entries,
    start,
    end: at,
    holding,
    chunks,
    weight: Math.max(a.weight, b.weight),
  }
}

function entriesOf(capacity: number): Entries {
  return {
    files: new Uint32Array(capacity),
    frequencies: new Float32Array(capacity),
    maxFrequencies: new Float32Array(capacity),
    chunks: new Uint8Array(capacity),
    starts: new Uint32Array(capacity),
    previousDocuments: new Int32Array(capacity),
  }
}
