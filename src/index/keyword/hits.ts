import { lastAtMost } from "../../base/index.ts"
import {
  CODE,
  CODE_MASK,
  ESCAPE,
  FIELD_BITS,
  FIRST,
  fieldBits,
  GAP,
  GAP_BYTES,
  HEAD_BYTES,
  LONG_GAPS,
  longGap,
  MAX_STEPS,
  MORE,
  SECOND,
  SKIP,
  THIRD,
} from "./codes.ts"
import { type ChunkHit, type FileHit, type KeywordQuery, type SymbolHit, TOP_CHUNK_WEIGHTS } from "./port.ts"
import type { ScoredTerm } from "./score.ts"
import { documentCount, type Segment, symbolCount } from "./segment.ts"
import {
  cachedFactsOf,
  type Population,
  type Scratch,
  type SegmentState,
  SUMS,
  seek,
  type VariantList,
} from "./state.ts"

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

/** Records the postings with definition names that a query reads. Only those of a few files are decoded later. */
export class NameLog {
  /**
   * Four numbers per row: byte position of the names, place of the file among those scored, document, term
   * mask.
   */
  rows = new Uint32Array(ROW << 8)
  length = 0

  push(position: number, file: number, document: number, mask: number): void {
    if (this.length === this.rows.length) {
      const larger = new Uint32Array(this.length * 2)
      larger.set(this.rows)
      this.rows = larger
    }
    const { rows, length } = this
    rows[length] = position
    rows[length + 1] = file
    rows[length + 2] = document
    rows[length + 3] = mask
    this.length = length + ROW
  }

  clear(): void {
    this.length = 0
  }
}

const ROW = 4

/**
 * For the symbols of some files, file by file: which terms of the query their names contain, and how many words of
 * their names match.
 */
type NameMarks = {
  /** Position of each file's first symbol in the arrays below. A file that was not requested has no symbols. */
  readonly starts: Uint32Array
  readonly terms: Uint32Array
  /** Number of words in each name that match; WHOLE or more if the compound matches, which is the whole name. */
  readonly words: Uint32Array
}

/**
 * Decodes the numbers of the log from index `from` to `to`, which are rows of files in `files`. Rows of files whose
 * flag in `requested` is 0 are skipped.
 */
function markNames(
  segment: Segment,
  { files, requested }: { readonly files: Uint32Array; readonly requested: Uint8Array },
  { rows }: NameLog,
  { from, to }: { readonly from: number; readonly to: number },
  scratch: Scratch,
): NameMarks {
  const { fileFirst, firstSymbol, words } = segment
  const starts = scratch.u32(files.length + 1)
  for (let i = 0; i < files.length; i++) {
    starts[i + 1] = starts[i]! + symbolCount(segment, files[i]!) * requested[i]!
  }
  const symbols = starts[files.length]!
  const marks = { starts, terms: scratch.u32(symbols), words: scratch.u32(symbols) }
  for (let row = from; row < to; row += ROW) {
    const file = rows[row + 1]!
    if (requested[file] === 0) continue
    const firstInFile = firstSymbol[rows[row + 2]!]! - firstSymbol[fileFirst[files[file]!]!]!
    markChunk(words.postings.bytes, rows[row]!, starts[file]! + firstInFile, rows[row + 3]!, marks)
  }
  return marks
}

/**
 * Decodes the names of one posting (see writeNames in codes.ts). `first` is the position of the chunk's first definition in
 * the arrays of the marks.
 */
function markChunk(
  bytes: Uint8Array,
  start: number,
  first: number,
  mask: number,
  { terms, words }: NameMarks,
): void {
  let at = start
  let byte = MORE
  let place = first - 1
  while (byte >= MORE) {
    byte = bytes[at++]!
    const value = byte & (MORE - 1)
    if (value === SKIP) {
      place += MAX_STEPS
    } else if (value > 0) {
      place += value >>> 1
      terms[place]! |= mask
      words[place]! += (value & 1) === 0 ? 1 : WHOLE
    }
  }
}

const WHOLE = 1 << 16

/**
 * For each position in a segment's dictionary, the mask of the query's terms that its word belongs to: bit t is set for
 * term t. One word may belong to several terms.
 */
function nameMasks(terms: readonly ScoredTerm[], segment: number): Map<number, number> {
  const masks = new Map<number, number>()
  terms.forEach(({ lists }, t) => {
    for (const list of lists) {
      if (list.segment === segment) masks.set(list.term, (masks.get(list.term) ?? 0) | (1 << t))
    }
  })
  return masks
}

/** The hit for the file at index `i` of the scored files: its term masks, its scores and its best chunks. */
export function fileHit(
  state: SegmentState,
  chunkScores: ChunkScores,
  i: number,
  symbols: readonly SymbolHit[],
  acceptChunk?: KeywordQuery["acceptChunk"],
): FileHit {
  const { segment } = state
  const { first, second, third, starts } = chunkScores
  const file = chunkScores.files[i]!
  const from = starts[i]!
  const to = starts[i + 1]!
  const { id, path, flags } = cachedFactsOf(state, file)
  return {
    id,
    path,
    flags,
    lines: segment.fileLines[file]!,
    chunkCount: to - from - 1,
    nameCount: symbolCount(segment, file),
    score: state.sums[file * SUMS]!,
    bestChunk: chunkScores.best(i),
    topChunks: chunkScores.topChunks(i),
    masks: {
      body: union(first, from, to),
      doc: union(second, from, to),
      names: union(third, from, to),
      stem: first[from]!,
      dirs: third[from]!,
      head: second[from]!,
    },
    stemWords: segment.fileWords[file]! & 0xffff,
    dirWords: segment.fileWords[file]! >>> 16,
    chunks: bestChunks(segment, chunkScores, i, acceptChunk),
    symbols,
  }
}

const MAX_CHUNKS = 12

/** Bitwise OR of the masks of all chunks. The document at `from` is the header of the file and is left out. */
function union(masks: Uint32Array, from: number, to: number): number {
  let all = 0
  for (let at = from + 1; at < to; at++) all |= masks[at]!
  return all
}

function bestChunks(
  { fileId, fileFirst, chunkStart, chunkEnd }: Segment,
  { files, starts, scores, first, second, third }: ChunkScores,
  i: number,
  accept: KeywordQuery["acceptChunk"],
): ChunkHit[] {
  const file = files[i]!
  const from = starts[i]!
  const best: number[] = []
  for (let at = from + 1; at < starts[i + 1]!; at++) {
    const score = scores[at]!
    if (score === 0) continue
    if (best.length === MAX_CHUNKS && score <= scores[best[MAX_CHUNKS - 1]!]!) continue
    if (accept !== undefined && !accept(fileId[file]!, at - from - 1)) continue
    if (best.length === MAX_CHUNKS) best.pop()
    let place = best.push(at) - 1
    for (; place > 0 && scores[best[place - 1]!]! < score; place--) best[place] = best[place - 1]!
    best[place] = at
  }
  const header = fileFirst[file]! - from
  return best.map((at) => ({
    ordinal: at - from - 1,
    startLine: chunkStart[header + at]!,
    endLine: chunkEnd[header + at]!,
    score: scores[at]!,
    body: first[at]!,
    doc: second[at]!,
    names: third[at]!,
  }))
}

/**
 * The definitions of a file whose names share a word with the query, best first, at most MAX_SYMBOLS. They are ordered
 * by F1: how many words query and name have in common, relative to the number of words in both, where each word counts
 * with its IDF. `i` is the index of the file among those whose chunks were scored.
 */
export function symbolHits(
  segment: Segment,
  file: number,
  { starts, terms, words }: NameMarks,
  i: number,
  shares: Shares,
  accept?: KeywordQuery["acceptChunk"],
): SymbolHit[] {
  const { symbolWords } = segment
  const { mean, total } = shares
  const start = starts[i]!
  const end = starts[i + 1]!
  const header = segment.fileFirst[file]!
  const first = segment.firstSymbol[header]! - start
  let count = 0
  for (let place = start; place < end; place++) {
    const mask = terms[place]!
    if (mask === 0) continue
    const symbol = first + place
    const matched = words[place]!
    const extra = matched >= WHOLE ? 0 : Math.max(0, symbolWords[symbol]! - matched)
    const shared = shares.of(mask)
    const f1 = (2 * shared) / (shared + mean * extra + total)
    if (count === MAX_SYMBOLS && f1 <= best.f1[MAX_SYMBOLS - 1]!) continue
    if (accept?.(segment.fileId[file]!, chunkOf(segment, file, symbol) - header - 1) === false) continue
    insertSymbol(count, symbol, mask, extra, f1)
    if (count < MAX_SYMBOLS) count++
  }
  const hits: SymbolHit[] = []
  for (let i = 0; i < count; i++) {
    const symbol = best.symbol[i]!
    const chunk = chunkOf(segment, file, symbol)
    const index = symbol - segment.firstSymbol[chunk]!
    hits.push({ ordinal: chunk - header - 1, index, terms: best.terms[i]!, extra: best.extra[i]! })
  }
  return hits
}

const MAX_SYMBOLS = 8

/**
 * The best definitions of the running call of `symbolHits`, best first. All calls use these arrays, and objects are
 * created only for the result, because most entries are soon replaced by better ones.
 */
const best = {
  symbol: new Uint32Array(MAX_SYMBOLS),
  terms: new Int32Array(MAX_SYMBOLS),
  extra: new Uint32Array(MAX_SYMBOLS),
  f1: new Float64Array(MAX_SYMBOLS),
} as const

/**
 * Sums up the IDF of the query's terms in a mask (bit t is set for term t). The sums are cached, because few different
 * masks occur.
 */
export class Shares {
  readonly total: number
  readonly mean: number
  private readonly idf: Float64Array
  private readonly shareCache = new Map<number, number>()
  private last = 0
  private lastShare = 0

  constructor(idf: Float64Array) {
    this.idf = idf
    this.total = idf.reduce((sum, value) => sum + value, 0)
    this.mean = this.total / Math.max(1, idf.length)
  }

  of(terms: number): number {
    if (terms === this.last) return this.lastShare
    const share = this.shareCache.get(terms) ?? sharedIdf(terms, this.idf)
    this.shareCache.set(terms, share)
    this.last = terms
    this.lastShare = share
    return share
  }
}

function sharedIdf(terms: number, idf: Float64Array): number {
  let sum = 0
  for (let term = 0; term < idf.length; term++) if ((terms & (1 << term)) !== 0) sum += idf[term]!
  return sum
}

/**
 * Inserts a definition into the `count` best. If there are MAX_SYMBOLS already, the worst is dropped. Definitions with
 * equal scores stay in the order in which they were added.
 */
function insertSymbol(count: number, symbol: number, terms: number, extra: number, f1: number): void {
  let at = Math.min(count, MAX_SYMBOLS - 1)
  for (; at > 0 && best.f1[at - 1]! < f1; at--) {
    best.symbol[at] = best.symbol[at - 1]!
    best.terms[at] = best.terms[at - 1]!
    best.extra[at] = best.extra[at - 1]!
    best.f1[at] = best.f1[at - 1]!
  }
  best.symbol[at] = symbol
  best.terms[at] = terms
  best.extra[at] = extra
  best.f1[at] = f1
}

/** The document (chunk) that defines a symbol: the last one whose first symbol is not after the symbol. */
function chunkOf({ firstSymbol, fileFirst }: Segment, file: number, symbol: number): number {
  const first = fileFirst[file]!
  return Math.max(first, lastAtMost(firstSymbol, symbol, first, fileFirst[file + 1]!))
}
