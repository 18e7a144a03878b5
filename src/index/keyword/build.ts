import { firstNot, GrowingU32 } from "../../base/index.ts"
import { clearTerms, createTermBuffer, type TermBuffer, tokenize } from "../../text/index.ts"
import { ESCAPE, encodeTuple, maxNameBytes, writeNames, writePosting } from "./codes.ts"
import type { KeywordChunk, KeywordFile } from "./port.ts"
import { closeList, DictionaryBuilder, LIST_HEAD, LONG_LIST, type SegmentCounts } from "./segment.ts"
import { type ByteWriter, createSegmentWriter, FileColumns, positionOf, reserveBytes } from "./writer.ts"

/** Builds keyword segments one after the other, and reuses its buffers. */
type SegmentBuilder = {
  /** Adds a file. If the segment will be used without a merge, files must be added in the order of their paths. */
  add(file: KeywordFile): void
  /** Number of files and chunks added so far, and the approximate size of their segment in bytes. */
  size(): { files: number; chunks: number; bytes: number }
  /** Returns the segment of all files added since the previous call, in a new buffer. */
  finish(): Uint8Array
}

export function createSegmentBuilder(): SegmentBuilder {
  const log = new PostingLog()
  const columns = new FileColumns()
  const terms = createTermBuffer()

  function count(text: string, start: number, end: number, unit: number): number {
    clearTerms(terms)
    tokenize(text, start, end, terms)
    log.countTerms(terms, unit)
    return terms.words
  }

  function add(file: KeywordFile): void {
    const { stem, directories } = fileWords(file.path)
    const stemWords = count(stem, 0, stem.length, FIRST_UNIT)
    const directoryWords = count(directories, 0, directories.length, THIRD_UNIT)
    const until = headEnd(file.text)
    for (const [start, end] of commentsWithin(file.comments, 0, until)) {
      count(file.text, start, end, SECOND_UNIT)
    }
    log.endDocument(columns.documents)
    columns.addFile(file, stemWords, directoryWords)
    for (const chunk of file.chunks) addChunk(file, chunk)
  }

  function addChunk(file: KeywordFile, chunk: KeywordChunk): void {
    let body = 0
    let doc = 0
    let at = chunk.start
    for (const [start, end] of commentsWithin(file.comments, chunk.start, chunk.end)) {
      body += count(file.text, at, start, FIRST_UNIT)
      doc += count(file.text, start, end, SECOND_UNIT)
      at = end
    }
    body += count(file.text, at, chunk.end, FIRST_UNIT)
    let names = 0
    for (const [i, { name }] of chunk.symbols.entries()) {
      names += count(name, 0, name.length, THIRD_UNIT)
      addSymbol(name, i)
    }
    log.endDocument(columns.documents)
    columns.addChunk(chunk, body, doc, names)
  }

  /** Records the symbol's own name, which is the last part of its qualified name. */
  function addSymbol(name: string, place: number): void {
    const last = symbolNames(name).at(-1) ?? ""
    clearTerms(terms)
    tokenize(last, 0, last.length, terms)
    columns.addSymbol(log.countName(terms, columns.documents, place))
  }

  function size(): { files: number; chunks: number; bytes: number } {
    const postings = log.postings.length * BYTES_PER_POSTING + log.names.length
    const bytes = Math.round(postings + log.termHi.length * BYTES_PER_TERM) + columns.byteLength()
    return { files: columns.files, chunks: columns.documents - columns.files, bytes }
  }

  function finish(): Uint8Array {
    const writer = createSegmentWriter(size().bytes)
    columns.write(writer)
    let dictionary: DictionaryBuilder | undefined
    writer.stream("postings", (out) => {
      dictionary = encodePostings(log, out)
    })
    dictionary!.write(writer)
    const counts: SegmentCounts = { ...columns.counts(), terms: dictionary!.terms }
    log.clear()
    columns.clear()
    return writer.finish(counts)
  }

  return { add, size, finish }
}

const BYTES_PER_POSTING = 1.9
const BYTES_PER_TERM = 9.25

/** The ranges of comments inside [from, to), cut off at these offsets, in order. */
function* commentsWithin(comments: Uint32Array, from: number, to: number): Generator<[number, number]> {
  for (let i = firstEndingAfter(comments, from); i + 1 < comments.length; i += 2) {
    const start = Math.max(comments[i]!, from)
    const end = Math.min(comments[i + 1]!, to)
    if (start >= to) return
    if (start < end) yield [start, end]
  }
}

function firstEndingAfter(comments: Uint32Array, offset: number): number {
  return 2 * firstNot(0, comments.length >>> 1, (i) => comments[i * 2 + 1]! <= offset)
}

/** The file name of a path without its extension, and its directories. */
function fileWords(path: string): { stem: string; directories: string } {
  const slash = path.lastIndexOf("/")
  const name = path.slice(slash + 1)
  const dot = name.lastIndexOf(".")
  return { stem: dot > 0 ? name.slice(0, dot) : name, directories: slash < 0 ? "" : path.slice(0, slash) }
}

const HEAD_LINES = 30

/** Offset after the first HEAD_LINES lines. Comments in these lines usually say what a file is for. */
function headEnd(text: string): number {
  let at = 0
  for (let line = 0; line < HEAD_LINES; line++) {
    const next = text.indexOf("\n", at)
    if (next < 0) return text.length
    at = next + 1
  }
  return at
}

/** The parts of a qualified name. The last part is the symbol's own name. */
function symbolNames(name: string): string[] {
  return name.split(/[.:]+/).filter((part) => part !== "")
}

/**
 * The frequencies of a term in the three fields of a document are packed into one number, with ten bits for each field.
 * FIRST_UNIT, SECOND_UNIT and THIRD_UNIT are one occurrence in the first, second and third field.
 */
export const FIRST_UNIT = 1
export const SECOND_UNIT = 1 << 10
export const THIRD_UNIT = 1 << 20
export const FREQUENCY_MASK = 1023

/** A table with rows of term number, document and a value, in the order in which they were added. */
class PostingColumns {
  readonly terms = new GrowingU32()
  readonly documents = new GrowingU32()
  readonly values = new GrowingU32()

  get length(): number {
    return this.terms.length
  }

  push(term: number, document: number, value: number): void {
    this.terms.push(term)
    this.documents.push(document)
    this.values.push(value)
  }

  clear(): void {
    for (const column of [this.terms, this.documents, this.values]) column.clear()
  }
}

/**
 * Counts terms document by document. The postings stay in the order in which they were added, in flat arrays that are
 * reused for the next segment. One hash table with open addressing contains all terms and the counts of the current
 * document. A slot contains hi, lo, the stamp of the document that last used it, and the term's frequencies in that
 * document.
 */
export class PostingLog {
  readonly termHi = new GrowingU32()
  readonly termLo = new GrowingU32()
  /** The postings of all terms; a value contains packed frequencies. */
  readonly postings = new PostingColumns()
  /**
   * Terms that are words in the name of a definition. A value is twice the position of the definition in its chunk,
   * plus 1 if the term is the whole name.
   */
  readonly names = new PostingColumns()

  private slots = new Uint32Array(INITIAL_SLOTS * STRIDE)
  private slotTerm = new Uint32Array(INITIAL_SLOTS)
  private touched = new Uint32Array(INITIAL_SLOTS)
  private touchedCount = 0
  /** Number of the current document, counted from 1. A slot with stamp 0 is empty. */
  private stamp = 1

  /** Counts all terms in the buffer as occurrences in the field whose unit is `unit`. */
  countTerms(buffer: TermBuffer, unit: number): void {
    const { hi, lo, count } = buffer
    this.reserve(count)
    const { slots, stamp } = this
    const mask = slots.length - 1
    for (let i = 0; i < count; i++) {
      const termHi = hi[i]!
      // Fast path: most terms have already occurred in this document, and are in the first slot that is tried.
      const at = (termHi << SLOT_SHIFT) & mask
      if (slots[at] === termHi && slots[at + 1] === lo[i] && slots[at + 2] === stamp)
        addToSlot(slots, at + 3, unit)
      else this.countTerm(termHi, lo[i]!, unit)
    }
  }

  /**
   * Records the words in the name of the current document's definition number `symbol`, and the compound that is the
   * whole name. The terms must have been counted in the names field before. Returns the number of distinct words.
   */
  countName({ hi, lo, parts, count, words }: TermBuffer, document: number, symbol: number): number {
    const first = this.names.length
    let distinct = 0
    for (let i = 0; i < count; i++) {
      const isWord = parts[i] === 1
      if (!isWord && parts[i] !== words) continue
      const term = this.nameTerm(hi[i]!, lo[i]!)
      if (term < 0 || this.isNamed(term, first, isWord ? 0 : 1)) continue
      this.names.push(term, document, (symbol << 1) | (isWord ? 0 : 1))
      if (isWord) distinct++
    }
    return distinct
  }

  /** Counts one term. The caller must have reserved room for it. */
  countTerm(hi: number, lo: number, unit: number): void {
    const slots = this.slots
    const mask = slots.length - 1
    let at = (hi << SLOT_SHIFT) & mask
    for (;;) {
      const stamp = slots[at + 2]!
      if (stamp === 0) break
      if (slots[at] === hi && slots[at + 1] === lo) {
        if (stamp === this.stamp) addToSlot(slots, at + 3, unit)
        else this.touch(at, unit)
        return
      }
      at = (at + STRIDE) & mask
    }
    slots[at] = hi
    slots[at + 1] = lo
    this.slotTerm[at / STRIDE] = this.termHi.length
    this.termHi.push(hi)
    this.termLo.push(lo)
    this.touch(at, unit)
  }

  /** Makes room for this many additional terms, so that no slot moves while they are counted. */
  reserve(terms: number): void {
    const slotCount = this.slots.length / STRIDE
    const needed = (this.termHi.length + terms) * 2
    if (needed > slotCount) this.rehash(2 ** Math.ceil(Math.log2(needed)))
  }

  /** Writes the postings of the current document under the number `document`, and starts the next document. */
  endDocument(document: number): void {
    const { slots, slotTerm, touched, touchedCount } = this
    const { terms, documents, values } = this.postings
    terms.reserve(touchedCount)
    documents.reserve(touchedCount)
    values.reserve(touchedCount)
    let at = terms.length
    for (let i = 0; i < touchedCount; i++, at++) {
      const slot = touched[i]!
      terms.values[at] = slotTerm[slot / STRIDE]!
      documents.values[at] = document
      values.values[at] = slots[slot + 3]!
    }
    terms.length = documents.length = values.length = at
    this.touchedCount = 0
    this.stamp++
  }

  clear(): void {
    for (const part of [this.termHi, this.termLo, this.postings, this.names]) part.clear()
    this.slots.fill(0)
    this.touchedCount = 0
    this.stamp = 1
  }

  /** The number of a term, if it occurs in the names field of the current document; −1 otherwise. */
  private nameTerm(hi: number, lo: number): number {
    const { slots } = this
    const mask = slots.length - 1
    let at = (hi << SLOT_SHIFT) & mask
    while (slots[at + 2] !== 0 && (slots[at] !== hi || slots[at + 1] !== lo)) at = (at + STRIDE) & mask
    const isCounted = slots[at + 2] === this.stamp && slots[at + 3]! >= THIRD_UNIT
    return isCounted ? this.slotTerm[at / STRIDE]! : -1
  }

  /**
   * True if the name whose rows begin at `from` already contains the term. If `isWhole` is 1, that row is then marked
   * as the whole name. This happens with names such as `disk_s`: after stemming, the compound equals the first word.
   */
  private isNamed(term: number, from: number, isWhole: 0 | 1): boolean {
    const { terms, values } = this.names
    for (let i = from; i < terms.length; i++) {
      if (terms.values[i] !== term) continue
      values.values[i]! |= isWhole
      return true
    }
    return false
  }

  private touch(at: number, unit: number): void {
    this.slots[at + 2] = this.stamp
    this.slots[at + 3] = unit
    this.touched[this.touchedCount++] = at
  }

  private rehash(slotCount: number): void {
    const old = this.slots
    const oldTerm = this.slotTerm
    const slots = new Uint32Array(slotCount * STRIDE)
    const slotTerm = new Uint32Array(slotCount)
    const touched = new Uint32Array(slotCount)
    const mask = slots.length - 1
    let touchedCount = 0
    for (let from = 0; from < old.length; from += STRIDE) {
      if (old[from + 2] === 0) continue
      let at = (old[from]! << SLOT_SHIFT) & mask
      while (slots[at + 2] !== 0) at = (at + STRIDE) & mask
      slots.set(old.subarray(from, from + STRIDE), at)
      slotTerm[at / STRIDE] = oldTerm[from / STRIDE]!
      if (old[from + 2] === this.stamp) touched[touchedCount++] = at
    }
    this.slots = slots
    this.slotTerm = slotTerm
    this.touched = touched
    this.touchedCount = touchedCount
  }
}

const STRIDE = 4
const SLOT_SHIFT = 2
const INITIAL_SLOTS = 1 << 14

/**
 * Increments the count of a field. The count stops at the maximum of ten bits, so that it does not overflow into the
 * next field.
 */
function addToSlot(slots: Uint32Array, at: number, unit: number): void {
  const packed = slots[at]!
  const full = unit * FREQUENCY_MASK
  if ((packed & full) !== full) slots[at] = packed + unit
}

/**
 * Sorts a log's postings by term and writes them. The documents of a term are already in order, because they were
 * logged in order.
 */
function encodePostings(log: PostingLog, out: ByteWriter): DictionaryBuilder {
  const order = termsByHash(log)
  const rankOf = new Uint32Array(order.length)
  for (let rank = 0; rank < order.length; rank++) rankOf[order[rank]!] = rank
  const postings = sortByTerm(log.postings, rankOf)
  const names = sortByTerm(log.names, rankOf)
  const dictionary = new DictionaryBuilder(order.length)
  const base = positionOf(out)
  for (let rank = 0; rank < order.length; rank++) {
    const term = order[rank]!
    const start = positionOf(out) - base
    encodeTerm(postings, names, rank, out)
    dictionary.add(log.termHi.values[term]!, log.termLo.values[term]!, start, positionOf(out) - base)
  }
  return dictionary
}

/**
 * Maximum size of a posting in bytes, without its definition names: a gap of five bytes, a code, and three frequencies.
 */
export const MAX_POSTING_BYTES = 9

/** Postings sorted by the rank of their terms. Those of the term with rank r end at `ends[r]`. */
type SortedPostings = { documents: Uint32Array; values: Uint32Array; ends: Uint32Array }

function encodeTerm(postings: SortedPostings, names: SortedPostings, rank: number, out: ByteWriter): void {
  const { documents, values } = postings
  const from = rank === 0 ? 0 : postings.ends[rank - 1]!
  const to = postings.ends[rank]!
  let name = rank === 0 ? 0 : names.ends[rank - 1]!
  const maxBytes = (to - from) * (MAX_POSTING_BYTES + 1) + maxBytesOfNames(names, name, names.ends[rank]!)
  reserveBytes(out, maxBytes + LIST_HEAD)
  const { bytes } = out
  const isShort = maxBytes < LONG_LIST
  let at = isShort ? out.length : out.length + LIST_HEAD
  let previous = -1
  for (let i = from; i < to; i++) {
    const document = documents[i]!
    const frequencies = values[i]!
    at = writeFrequencies(bytes, at, document - previous - 1, frequencies)
    previous = document
    if (frequencies >>> 20 === 0) continue
    let end = name
    while (end < names.ends[rank]! && names.documents[end] === document) end++
    at = writeNames(bytes, at, names.values, name, end)
    name = end
  }
  out.length = isShort ? at : closeList(bytes, out.length, at, to - from)
}

/** Upper bound of the number of bytes that the names of all documents in [from, to) take. */
function maxBytesOfNames({ documents, values }: SortedPostings, from: number, to: number): number {
  let maxBytes = 0
  let start = from
  for (let i = from; i < to; i++) {
    if (i + 1 < to && documents[i + 1] === documents[i]) continue
    maxBytes += maxNameBytes(values, start, i + 1)
    start = i + 1
  }
  return maxBytes
}

function writeFrequencies(bytes: Uint8Array, start: number, gap: number, packed: number): number {
  const first = packed & FREQUENCY_MASK
  const second = (packed >>> 10) & FREQUENCY_MASK
  const third = packed >>> 20
  const code = encodeTuple(first, second, third)
  const at = writePosting(bytes, start, gap, code)
  if (code !== ESCAPE) return at
  bytes[at] = Math.min(first, 255)
  bytes[at + 1] = Math.min(second, 255)
  bytes[at + 2] = Math.min(third, 255)
  return at + 3
}

/**
 * Term numbers sorted by their hashes (hi, lo): first a radix sort by hi, then an insertion sort of the few terms with
 * equal hi.
 */
function termsByHash(log: PostingLog): Uint32Array {
  const hi = log.termHi.view()
  let order = Uint32Array.from(hi.keys())
  let other = new Uint32Array(hi.length)
  const starts = new Uint32Array(1 << 16)
  for (const shift of [0, 16]) {
    starts.fill(0)
    for (let i = 0; i < hi.length; i++) starts[(hi[i]! >>> shift) & 0xffff]!++
    let sum = 0
    for (let digit = 0; digit < starts.length; digit++) {
      const count = starts[digit]!
      starts[digit] = sum
      sum += count
    }
    for (let i = 0; i < order.length; i++) {
      const term = order[i]!
      other[starts[(hi[term]! >>> shift) & 0xffff]!++] = term
    }
    ;[order, other] = [other, order]
  }
  sortTies(order, hi, log.termLo.values)
  return order
}

function sortTies(order: Uint32Array, hi: Uint32Array, lo: Uint32Array): void {
  for (let i = 1; i < order.length; i++) {
    const term = order[i]!
    let at = i
    while (at > 0 && hi[order[at - 1]!] === hi[term] && lo[order[at - 1]!]! > lo[term]!) {
      order[at] = order[at - 1]!
      at--
    }
    order[at] = term
  }
}

function sortByTerm({ terms, documents, values }: PostingColumns, rankOf: Uint32Array): SortedPostings {
  const count = terms.length
  const ends = new Uint32Array(rankOf.length)
  for (let i = 0; i < count; i++) ends[rankOf[terms.values[i]!]!]!++
  let sum = 0
  for (let rank = 0; rank < ends.length; rank++) {
    const count = ends[rank]!
    ends[rank] = sum
    sum += count
  }
  const sorted = { documents: new Uint32Array(count), values: new Uint32Array(count), ends }
  for (let i = 0; i < count; i++) {
    const at = ends[rankOf[terms.values[i]!]!]!++
    sorted.documents[at] = documents.values[i]!
    sorted.values[at] = values.values[i]!
  }
  return sorted
}
