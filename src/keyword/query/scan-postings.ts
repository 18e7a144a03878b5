import { postingRange } from "../format/find-term.ts"
import { CODE, CODE_MASK, GAP, GAP_BYTES, HEAD_BYTES, LONG_GAPS, longGap } from "../format/posting-code.ts"
import type { EntryBuffer, VariantList } from "../format/posting-lists.ts"
import { MORE } from "../format/posting-names.ts"
import { NEAR_SHIFT, type SegmentState } from "../format/segment-state.ts"
import { ESCAPE, FIRST, FIRST_ONLY, SECOND, THIRD } from "../format/tuple-code.ts"
import { NORMS_PER_FILE, noteNorms, type Population } from "./population.ts"

/**
 * Appends the postings of a term in one segment to the buffer, as one entry per file and without files that do not
 * count. The decoding repeats `PostingCursor.next` inline, because this is the inner loop of every query
 * (docs/decisions/03-index.md).
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the inner loop of every query, 6 ns a posting as one function
export function scanPostings(
  state: SegmentState,
  place: number,
  population: Population,
  term: number,
  weight: number,
  buffer: EntryBuffer,
): VariantList {
  const { segment, fileNear } = state
  const range = postingRange(segment.words, term)
  buffer.reserve(Math.min(range.end - range.start, segment.files))
  const { fileFirst, bodyLength, docLength, namesLength } = segment
  const { postings } = segment.words
  const origin = postings.load(range.start, range.end)
  const { bytes } = postings
  const { bodyNorms, docNorms, namesNorms } = population
  const live = population.live[place]!
  const norms = population.fileNorms[place]!
  const { entries } = buffer
  const { files, frequencies, maxFrequencies, chunks, starts, previousDocuments } = entries
  const documentCount = segment.documents
  const end = origin + range.end - range.start
  const start = buffer.count
  let count = start
  let allChunks = 0
  let holding = 0
  let at = origin
  let document = -1
  let file = 0
  let header = -1
  let fileEnd = 0
  let liveDocuments = false
  let isMet = false
  let inFile = 0
  let maxFrequency = 0
  let inChunks = 0
  let bodyNorm = 0
  while (at < end) {
    const from = at
    const before = document
    const byte = bytes[at]!
    let gap = GAP[byte]!
    const code = CODE[byte]! | (bytes[at + 1]! & CODE_MASK[byte]!)
    at += HEAD_BYTES[byte]!
    if (byte >= LONG_GAPS) {
      gap = longGap(bytes, at, byte)
      at += GAP_BYTES[byte]!
    }
    document += gap + 1
    if (document >= documentCount) break
    if (document >= fileEnd) {
      if (isMet) {
        frequencies[count] = inFile * weight
        maxFrequencies[count] = maxFrequency
        chunks[count++] = Math.min(inChunks, 3)
        if (inFile > 0) holding++
        allChunks += inChunks
        inFile = maxFrequency = inChunks = 0
      }
      file = Math.max(file, fileNear[document >>> NEAR_SHIFT]!)
      fileEnd = fileFirst[file + 1]!
      while (fileEnd <= document) fileEnd = fileFirst[++file + 1]!
      header = fileFirst[file]!
      liveDocuments = isMet = live[file] === 1
      files[count] = file
      starts[count] = from - origin
      previousDocuments[count] = before
      if (norms[file * NORMS_PER_FILE] === 0) noteNorms(population, segment, file, norms)
      bodyNorm = norms[file * NORMS_PER_FILE]!
    }
    if (code < FIRST_ONLY && document !== header && liveDocuments) {
      inFile += (code + 1) * bodyNorm
      inChunks++
      const frequency = (code + 1) * bodyNorms[bodyLength[document]!]! * weight
      if (frequency > maxFrequency) maxFrequency = frequency
      continue
    }
    let first = FIRST[code]!
    let second = SECOND[code]!
    let third = THIRD[code]!
    if (code === ESCAPE) {
      first = bytes[at]!
      second = bytes[at + 1]!
      third = bytes[at + 2]!
      at += 3
    }
    if (third > 0) while (bytes[at++]! >= MORE);
    if (!liveDocuments) continue
    const norm = file * NORMS_PER_FILE
    if (document === header) {
      inFile += first * norms[norm + 3]! + third * norms[norm + 4]!
    } else {
      inFile += first * bodyNorm + second * norms[norm + 1]! + third * norms[norm + 2]!
      inChunks++
      const frequency =
        weight *
        (first * bodyNorms[bodyLength[document]!]! +
          second * docNorms[docLength[document]!]! +
          third * namesNorms[namesLength[document]!]!)
      if (frequency > maxFrequency) maxFrequency = frequency
    }
  }
  if (isMet) {
    frequencies[count] = inFile * weight
    maxFrequencies[count] = maxFrequency
    chunks[count++] = Math.min(inChunks, 3)
    if (inFile > 0) holding++
    allChunks += inChunks
  }
  buffer.count = count
  return {
    ...{ segment: place, term, weight, entries, start, end: count },
    ...{ holding, chunks: allChunks, postings: range },
  }
}
