import type { PostingRange } from "./find-term.ts"

/**
 * What terms have in each file, in the order of files: all that decides which files are worth a closer look, and
 * where their postings stand for it.
 */
export type Entries = {
  readonly files: Uint32Array
  /** Weighted and normalised for the file, over all its documents; 0 where only its head has the term. */
  readonly frequencies: Float32Array
  /** The largest of its chunks, weighted and normalised for those; 0 where none has it. */
  readonly mosts: Float32Array
  /** How many of its chunks have it, 3 for more. */
  readonly chunks: Uint8Array
  /** The file's first posting, from the list's beginning, and the document before it, −1 at first. */
  readonly starts: Uint32Array
  readonly befores: Int32Array
}

/** One term in one segment: its entries from `start` to `end`. */
export type PostingList = {
  readonly segment: number
  readonly entries: Entries
  readonly start: number
  readonly end: number
  /** How many files and chunks hold it; a head alone does not count. */
  readonly holding: number
  readonly chunks: number
  readonly weight: number
}

/** One variant's, whose postings can be read again. */
export type VariantList = PostingList & {
  /** Its place in the dictionary. */
  readonly term: number
  readonly postings: PostingRange
}

const INITIAL_ENTRIES = 1 << 10
const NOTHING = entriesOf(0)

/** The entries of a query, one list after the other in arrays that are used again; see Scratch. */
export class EntryBuffer {
  entries: Entries = NOTHING
  count = 0
  #kept = new WeakRef(NOTHING)

  /** Room for so many more in `entries`; lists that were written before keep theirs. */
  reserve(more: number): void {
    const { length } = this.entries.files
    if (this.count + more <= length) return
    this.entries = entriesOf(Math.max(more, length * 2, INITIAL_ENTRIES))
    this.count = 0
  }

  /** Before a query. */
  begin(): void {
    this.entries = this.#kept.deref() ?? NOTHING
    this.count = 0
  }

  /** What was given out is not used any more. */
  end(): void {
    if (this.#kept.deref() !== this.entries) this.#kept = new WeakRef(this.entries)
    this.entries = NOTHING
    this.count = 0
  }
}

export function byteLength({ start, end }: PostingList): number {
  return (end - start) * BYTES_PER_ENTRY
}

const BYTES_PER_ENTRY = 21

/** The same in arrays of its own. */
export function copyList(list: VariantList): VariantList {
  const { start, end, entries } = list
  const own = {
    files: entries.files.slice(start, end),
    frequencies: entries.frequencies.slice(start, end),
    mosts: entries.mosts.slice(start, end),
    chunks: entries.chunks.slice(start, end),
    starts: entries.starts.slice(start, end),
    befores: entries.befores.slice(start, end),
  }
  return { ...list, entries: own, start: 0, end: end - start }
}

/** The first entry of a file or of one after it. */
export function seek(files: Uint32Array, from: number, end: number, file: number): number {
  let low = from
  let step = 4
  let high = Math.min(low + step, end)
  while (high < end && files[high - 1]! < file) {
    low = high
    step *= 2
    high = Math.min(low + step, end)
  }
  while (low < high) {
    const middle = (low + high) >>> 1
    if (files[middle]! < file) low = middle + 1
    else high = middle
  }
  return low
}

/** Two lists of one segment as one, frequencies summed, with so many chunks. */
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
    let most = 0
    let held = 0
    if (ofA <= ofB) {
      frequency = a.entries.frequencies[i]!
      most = a.entries.mosts[i]!
      held = a.entries.chunks[i++]!
    }
    if (ofB <= ofA) {
      frequency += b.entries.frequencies[j]!
      most += b.entries.mosts[j]!
      held += b.entries.chunks[j++]!
    }
    entries.files[at] = Math.min(ofA, ofB)
    entries.frequencies[at] = frequency
    entries.mosts[at] = most
    entries.chunks[at++] = Math.min(held, 3)
    if (frequency > 0) holding++
  }
  buffer.count = at
  return { segment: a.segment, entries, start, end: at, holding, chunks, weight: 1 }
}

function entriesOf(capacity: number): Entries {
  return {
    files: new Uint32Array(capacity),
    frequencies: new Float32Array(capacity),
    mosts: new Float32Array(capacity),
    chunks: new Uint8Array(capacity),
    starts: new Uint32Array(capacity),
    befores: new Int32Array(capacity),
  }
}
