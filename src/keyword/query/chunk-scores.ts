import { TOP_CHUNK_WEIGHTS } from "../bm25.ts"
import { markNames, type NameLog, type NameMarks, nameMasks } from "../format/name-marks.ts"
import { CODE, CODE_MASK, GAP, GAP_BYTES, HEAD_BYTES, LONG_GAPS, longGap } from "../format/posting-code.ts"
import { seek, type VariantList } from "../format/posting-lists.ts"
import { MORE } from "../format/posting-names.ts"
import { documentCount, type Segment } from "../format/segment.ts"
import { ESCAPE, FIELD_BITS, FIRST, fieldBits, SECOND, THIRD } from "../format/tuple-code.ts"
import type { Population } from "./population.ts"
import type { ScoredTerm } from "./score.ts"
import type { Scratch } from "./scratch.ts"

/** The terms of a query after scoring files, with the settings and buffers that chunk scoring needs. */
export type Scored = {
  readonly terms: readonly ScoredTerm[]
  readonly population: Population
  readonly chunkK1: number
  /** Buffers of the running query. */
  readonly scratch: Scratch
  readonly names: NameLog
}

/**
 * Scores the chunks of a few candidate files of a segment, as the second pass of a query. (The first pass scores
 * files.) It reads the postings of all terms in these files again, now for each chunk. It reads them list by list, not
 * file by file, because reading neighbouring bytes costs half as much.
 */
export class ChunkScores {
  /** The scored files, in ascending order. */
  readonly files: Uint32Array
  /** Index, in the arrays below, at which the documents of each file begin: its header, then its chunks. */
  readonly starts: Uint32Array
  readonly scores: Float32Array
  /** Masks of the terms in each of the three fields of a document. */
  readonly first: Uint32Array
  readonly second: Uint32Array
  readonly third: Uint32Array
  private readonly segment: Segment
  private readonly scored: Scored
  /** The rows in the query's log of names that belong to these files. */
  private readonly named: { readonly from: number; readonly to: number }
  private readonly frequencies: Float32Array
  private readonly met: Uint32Array
  private metCount = 0

  constructor(segment: Segment, place: number, files: Uint32Array, scored: Scored) {
    const { scratch, names } = scored
    this.segment = segment
    this.scored = scored
    this.files = files
    this.starts = startsOf(segment, files)
    const documents = this.starts[files.length]!
    this.scores = scratch.f32(documents)
    this.first = scratch.u32(documents)
    this.second = scratch.u32(documents)
    this.third = scratch.u32(documents)
    this.frequencies = scratch.f32(documents)
    this.met = scratch.u32(documents)
    const from = names.length
    const masks = nameMasks(scored.terms, place)
    scored.terms.forEach((term, t) => {
      const lists = term.lists.filter((list) => list.segment === place)
      for (const list of lists) {
        this.readList(list, 1 << t, masks.get(list.term) ?? 0)
        masks.delete(list.term)
      }
      this.addTerm(term.chunkIdf, scored.chunkK1)
    })
    this.named = { from, to: names.length }
  }

  /** Index of a file in `files`; −1 if its chunks were not scored. */
  indexOf(file: number): number {
    const i = seek(this.files, 0, this.files.length, file)
    return this.files[i] === file ? i : -1
  }

  /**
   * Which of the query's terms the names of definitions contain. `files` are the positions, in the segment, of the
   * files for which this is requested.
   */
  marks(files: Uint32Array): NameMarks {
    const requested = new Uint8Array(this.files.length)
    for (const file of files) {
      const i = this.indexOf(file)
      if (i >= 0) requested[i] = 1
    }
    const { names, scratch } = this.scored
    return markNames(this.segment, { files: this.files, requested }, names, this.named, scratch)
  }

  /** The score of the best chunk of the file at index `i` of `files`. */
  best(i: number): number {
    const { scores, starts } = this
    const end = starts[i + 1]!
    let best = 0
    for (let at = starts[i]! + 1; at < end; at++) if (scores[at]! > best) best = scores[at]!
    return best
  }

  /** The weighted score (TOP_CHUNK_WEIGHTS) of the best three chunks of the file at index `i` of `files`. */
  topChunks(i: number): number {
    const { scores, starts } = this
    const end = starts[i + 1]!
    let first = 0
    let second = 0
    let third = 0
    for (let at = starts[i]! + 1; at < end; at++) {
      const score = scores[at]!
      if (score <= third) continue
      if (score <= second) third = score
      else {
        third = second
        second = Math.min(score, first)
        first = Math.max(score, first)
      }
    }
    return TOP_CHUNK_WEIGHTS[0] * first + TOP_CHUNK_WEIGHTS[1] * second + TOP_CHUNK_WEIGHTS[2] * third
  }

  private readList(list: VariantList, bit: number, nameMask: number): void {
    const { files } = this
    const { entries, end, postings } = list
    const first = this.segment.words.postings.load(postings.start, postings.end)
    const last = first + postings.end - postings.start
    let entry = list.start
    for (let i = 0; i < files.length; i++) {
      const file = files[i]!
      entry = seek(entries.files, entry, end, file)
      if (entry === end) return
      if (entries.files[entry] !== file) continue
      const from = {
        start: first + entries.starts[entry]!,
        last,
        previous: entries.previousDocuments[entry]!,
      }
      this.readFile(i, from, list.weight, bit, nameMask)
    }
  }

  /** Reads the postings of one file. The decoding repeats `PostingCursor.next` inline for speed, like scanPostings. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: an inner loop, as scanPostings
  private readFile(
    i: number,
    { start, last, previous }: { readonly start: number; readonly last: number; readonly previous: number },
    weight: number,
    bit: number,
    nameMask: number,
  ): void {
    const { bodyLength, docLength, namesLength, words } = this.segment
    const postings = words.postings.bytes
    const { population, names } = this.scored
    const { bodyNorms, docNorms, namesNorms } = population
    const { first, second, third, frequencies, met } = this
    const header = this.segment.fileFirst[this.files[i]!]!
    const rowOfHeader = this.starts[i]!
    const end = header + this.starts[i + 1]! - rowOfHeader
    let document = previous
    let { metCount } = this
    for (let at = start; at < last; ) {
      const byte = postings[at]!
      let gap = GAP[byte]!
      const code = CODE[byte]! | (postings[at + 1]! & CODE_MASK[byte]!)
      at += HEAD_BYTES[byte]!
      if (byte >= LONG_GAPS) {
        gap = longGap(postings, at, byte)
        at += GAP_BYTES[byte]!
      }
      document += gap + 1
      if (document >= end) break
      let a = FIRST[code]!
      let b = SECOND[code]!
      let c = THIRD[code]!
      let bits = FIELD_BITS[code]!
      if (code === ESCAPE) {
        a = postings[at]!
        b = postings[at + 1]!
        c = postings[at + 2]!
        bits = fieldBits(a, b, c)
        at += 3
      }
      if (c > 0) {
        if (nameMask !== 0) names.push(at, i, document, nameMask)
        while (postings[at++]! >= MORE);
      }
      const to = rowOfHeader + document - header
      if ((bits & 1) !== 0) first[to]! |= bit
      if ((bits & 2) !== 0) second[to]! |= bit
      if ((bits & 4) !== 0) third[to]! |= bit
      if (document === header) continue
      // The value is rounded before it is tested: one that a 32-bit float rounds to 0 would leave no trace in
      // `frequencies`, so that the next variant would add the document to `met` a second time.
      const frequency = Math.fround(
        weight *
          (a * bodyNorms[bodyLength[document]!]! +
            b * docNorms[docLength[document]!]! +
            c * namesNorms[namesLength[document]!]!),
      )
      const before = frequencies[to]!
      if (before === 0 && frequency > 0) met[metCount++] = to
      frequencies[to] = before + frequency
    }
    this.metCount = metCount
  }

  /** Adds one term to the scores of the documents in `met`. The frequencies of its variants have been added up. */
  private addTerm(idf: number, k1: number): void {
    const { frequencies, scores, met } = this
    for (let i = 0; i < this.metCount; i++) {
      const at = met[i]!
      const frequency = frequencies[at]!
      frequencies[at] = 0
      scores[at]! += (idf * frequency) / (k1 + frequency)
    }
    this.metCount = 0
  }
}

function startsOf(segment: Segment, files: Uint32Array): Uint32Array {
  const starts = new Uint32Array(files.length + 1)
  for (let i = 0; i < files.length; i++) starts[i + 1] = starts[i]! + documentCount(segment, files[i]!)
  return starts
}
