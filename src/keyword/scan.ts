import { NORMS_PER_FILE, noteNorms, type Population } from "./population.ts"
import type { SegmentState } from "./segment-state.ts"
import { ESCAPE, FIELD_BITS, FIRST, FIRST_ONLY, fieldBits, SECOND, THIRD } from "./tuple-code.ts"

/**
 * Decoded postings of a query, one list after the other. Documents carry their weighted frequency (0 for a
 * header document, whose words count for the file) and the fields that hold the term; files their frequency
 * over all their documents.
 */
export type PostingLists = {
  documents: Uint32Array
  frequencies: Float32Array
  fields: Uint8Array
  count: number
  files: Uint32Array
  fileFrequencies: Float32Array
  fileCount: number
}

export type PostingList = {
  readonly segment: number
  readonly start: number
  readonly end: number
  readonly fileStart: number
  readonly fileEnd: number
  /** How many of the documents are chunks. */
  readonly chunks: number
}

export function createPostingLists(capacity = 1 << 12): PostingLists {
  return {
    documents: new Uint32Array(capacity),
    frequencies: new Float32Array(capacity),
    fields: new Uint8Array(capacity),
    count: 0,
    files: new Uint32Array(capacity),
    fileFrequencies: new Float32Array(capacity),
    fileCount: 0,
  }
}

/** Room for so many more postings of documents and of files. */
export function reservePostings(lists: PostingLists, more: number): void {
  if (lists.count + more > lists.documents.length) {
    const capacity = Math.max(lists.count + more, lists.documents.length * 2)
    lists.documents = copied(lists.documents, new Uint32Array(capacity), lists.count)
    lists.frequencies = copied(lists.frequencies, new Float32Array(capacity), lists.count)
    lists.fields = copied(lists.fields, new Uint8Array(capacity), lists.count)
  }
  if (lists.fileCount + more > lists.files.length) {
    const capacity = Math.max(lists.fileCount + more, lists.files.length * 2)
    lists.files = copied(lists.files, new Uint32Array(capacity), lists.fileCount)
    lists.fileFrequencies = copied(lists.fileFrequencies, new Float32Array(capacity), lists.fileCount)
  }
}

/** Appends the postings of one term in one segment, leaving out files that do not count. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the inner loop of every query, 10 ns a posting as one function
export function scanPostings(
  state: SegmentState,
  place: number,
  population: Population,
  range: { readonly start: number; readonly end: number },
  weight: number,
  lists: PostingLists,
): PostingList {
  reservePostings(lists, (range.end - range.start) >>> 1)
  const { segment } = state
  const { fileOf, fileFirst, bodyLength, docLength, namesLength } = segment
  const bytes = segment.words.postings
  const { bodyNorms, docNorms, namesNorms } = population
  const live = population.live[place]!
  const norms = population.fileNorms[place]!
  const { documents, frequencies, fields, files, fileFrequencies } = lists
  const documentCount = segment.documents
  const end = range.end
  const start = lists.count
  const fileStart = lists.fileCount
  let count = start
  let fileCount = fileStart
  let headers = 0
  let at = range.start
  let document = -1
  let file = -1
  let header = -1
  let fileEnd = 0
  let isLive = false
  let inFile = 0
  let bodyNorm = 0
  while (at < end) {
    let byte = bytes[at++]!
    let gap = byte & 127
    if (byte > 127) {
      byte = bytes[at++]!
      gap |= (byte & 127) << 7
      for (let shift = 14; byte > 127 && shift < 28; shift += 7) {
        byte = bytes[at++]!
        gap |= (byte & 127) << shift
      }
    }
    document += gap + 1
    if (document >= documentCount) break
    const code = bytes[at++]!
    if (document >= fileEnd) {
      if (inFile > 0) {
        files[fileCount] = file
        fileFrequencies[fileCount++] = inFile * weight
        inFile = 0
      }
      file = fileOf[document]!
      header = fileFirst[file]!
      fileEnd = fileFirst[file + 1]!
      isLive = live[file] === 1
      if (norms[file * NORMS_PER_FILE] === 0) noteNorms(population, segment, file, norms)
      bodyNorm = norms[file * NORMS_PER_FILE]!
    }
    if (!isLive) {
      if (code === ESCAPE) at += 3
      continue
    }
    if (code < FIRST_ONLY && document !== header) {
      inFile += (code + 1) * bodyNorm
      documents[count] = document
      frequencies[count] = (code + 1) * bodyNorms[bodyLength[document]!]! * weight
      fields[count++] = 1
      continue
    }
    let first = FIRST[code]!
    let second = SECOND[code]!
    let third = THIRD[code]!
    let bits = FIELD_BITS[code]!
    if (code === ESCAPE) {
      first = bytes[at]!
      second = bytes[at + 1]!
      third = bytes[at + 2]!
      at += 3
      bits = fieldBits(first, second, third)
    }
    const norm = file * NORMS_PER_FILE
    documents[count] = document
    fields[count] = bits
    if (document === header) {
      inFile += first * norms[norm + 3]! + second * norms[norm + 4]!
      frequencies[count++] = 0
      headers++
    } else {
      inFile += first * bodyNorm + second * norms[norm + 1]! + third * norms[norm + 2]!
      frequencies[count++] =
        weight *
        (first * bodyNorms[bodyLength[document]!]! +
          second * docNorms[docLength[document]!]! +
          third * namesNorms[namesLength[document]!]!)
    }
  }
  if (inFile > 0) {
    files[fileCount] = file
    fileFrequencies[fileCount++] = inFile * weight
  }
  lists.count = count
  lists.fileCount = fileCount
  return { segment: place, start, end: count, fileStart, fileEnd: fileCount, chunks: count - start - headers }
}

function copied<T extends Uint32Array | Float32Array | Uint8Array>(from: T, into: T, length: number): T {
  into.set(from.subarray(0, length))
  return into
}
