import { GrowingU32 } from "../../base/index.ts"
import { encodeLength } from "./codes.ts"
import type { KeywordChunk, KeywordFile } from "./port.ts"
import { HEADER_BYTES, SECTIONS, type SegmentCounts, type SegmentSection, writeHeader } from "./segment.ts"

/**
 * A byte array to which bytes are appended. It grows; or, with `flush`, it passes its content to `flush` and is filled
 * again from the start.
 */
export type ByteWriter = {
  bytes: Uint8Array
  /** Number of bytes in `bytes` that are in use. */
  length: number
  /** Number of bytes that were already passed to `flush`. */
  flushed: number
  readonly flush: ((bytes: Uint8Array) => void) | null
}

/** Maximum number of bytes that a writer with `flush` buffers, unless a single write is longer. */
const FLUSH_BYTES = 4 << 20

function createByteWriter(capacity: number, flush: ByteWriter["flush"] = null): ByteWriter {
  const bytes = new Uint8Array(Math.max(flush === null ? capacity : Math.min(capacity, FLUSH_BYTES), 64))
  return { bytes, length: 0, flushed: 0, flush }
}

/** Position of the next byte, counting the bytes that were flushed. */
export function positionOf(writer: ByteWriter): number {
  return writer.flushed + writer.length
}

/**
 * Makes room for `more` bytes. The array grows by half, so that the old and the new array together take at most 2.5
 * times the size of the content.
 */
export function reserveBytes(writer: ByteWriter, more: number): void {
  if (writer.flush !== null && writer.length + more > FLUSH_BYTES) flushBytes(writer)
  const needed = writer.length + more
  if (needed <= writer.bytes.length) return
  const larger = new Uint8Array(Math.max(needed, Math.ceil(writer.bytes.length * 1.5)))
  larger.set(writer.bytes.subarray(0, writer.length))
  writer.bytes = larger
}

function flushBytes(writer: ByteWriter): void {
  if (writer.flush === null || writer.length === 0) return
  writer.flush(writer.bytes.subarray(0, writer.length))
  writer.flushed += writer.length
  writer.length = 0
}

/**
 * Adds zeros up to a multiple of eight. Sections start at such positions, so that a typed array of any kind can be
 * placed on them.
 */
function alignWriter(writer: ByteWriter): void {
  const padding = -positionOf(writer) & 7
  reserveBytes(writer, padding)
  writer.bytes.fill(0, writer.length, writer.length + padding)
  writer.length += padding
}

/** Where a segment is written that is too large to be built in memory. */
export type SegmentSink = {
  append(bytes: Uint8Array): void
  /** Overwrites the first of the appended bytes. */
  writeHead(bytes: Uint8Array): void
}

/**
 * Writes sections one after the other. At the end, it writes the header into the space that was reserved for it at the
 * start.
 */
export type SegmentWriter = {
  /** Appends a whole section. */
  add(section: SegmentSection, content: Uint32Array | Uint8Array): void
  /** Appends a section whose content `write` produces piece by piece. */
  stream(section: SegmentSection, write: (out: ByteWriter) => void): void
  /** Returns the segment; with a sink only its header, because everything else has been written already. */
  finish(counts: SegmentCounts): Uint8Array
}

export function createSegmentWriter(expectedBytes: number, sink: SegmentSink | null = null): SegmentWriter {
  const out = createByteWriter(expectedBytes + HEADER_BYTES, sink && ((bytes) => sink.append(bytes)))
  const offsets = new Uint32Array(SECTIONS.length)
  const lengths = new Uint32Array(SECTIONS.length)
  reserveBytes(out, HEADER_BYTES)
  out.length = HEADER_BYTES

  function stream(section: SegmentSection, write: (out: ByteWriter) => void): void {
    alignWriter(out)
    const start = positionOf(out)
    write(out)
    const place = SECTIONS.indexOf(section)
    offsets[place] = start
    lengths[place] = positionOf(out) - start
  }

  function append(bytes: Uint8Array): void {
    reserveBytes(out, bytes.length)
    out.bytes.set(bytes, out.length)
    out.length += bytes.length
  }

  function add(section: SegmentSection, content: Uint32Array | Uint8Array): void {
    stream(section, () => append(new Uint8Array(content.buffer, content.byteOffset, content.byteLength)))
  }

  function finish(counts: SegmentCounts): Uint8Array {
    alignWriter(out)
    const byteLength = positionOf(out)
    if (sink === null) {
      const header = new Uint32Array(out.bytes.buffer, 0, HEADER_BYTES / 4)
      writeHeader(header, { counts, offsets, lengths }, byteLength)
      return out.bytes.subarray(0, out.length)
    }
    flushBytes(out)
    const header = new Uint32Array(HEADER_BYTES / 4)
    writeHeader(header, { counts, offsets, lengths }, byteLength)
    const bytes = new Uint8Array(header.buffer)
    sink.writeHead(bytes)
    return bytes
  }

  return { add, stream, finish }
}

/**
 * The tables of a segment that is being built: one with a row for each file, one for each document (a chunk, or the
 * header of a file), and one for each symbol.
 */
export class FileColumns {
  private readonly id = new GrowingU32()
  private readonly first = new GrowingU32()
  private readonly lines = new GrowingU32()
  private readonly flags = new GrowingU32()
  private readonly body = new GrowingU32()
  private readonly doc = new GrowingU32()
  private readonly names = new GrowingU32()
  private readonly words = new GrowingU32()
  private readonly pathAt = new GrowingU32()
  private readonly start = new GrowingU32()
  private readonly end = new GrowingU32()
  private readonly firstSymbol = new GrowingU32()
  /**
   * Codes of the lengths of body, doc and names, with eight bits each. `symbolWords` contains the number of distinct
   * words in each symbol's name.
   */
  private readonly lengths = new GrowingU32()
  private readonly symbolWords = new GrowingU32()
  private paths: Uint8Array[] = []
  private pathBytes = 0
  private lastPath = ""
  private isSorted = true

  get files(): number {
    return this.id.length
  }

  get documents(): number {
    return this.start.length
  }

  get symbols(): number {
    return this.symbolWords.length
  }

  /**
   * Adds the row of a file, and the row of its header document, which contains the words of its path. The rows of its
   * chunks are added after these.
   */
  addFile(file: KeywordFile, stemWords: number, directoryWords: number): void {
    this.id.push(file.id)
    this.first.push(this.documents)
    this.lines.push(file.lines)
    this.flags.push(file.flags)
    this.body.push(0)
    this.doc.push(0)
    this.names.push(0)
    this.words.push(Math.min(stemWords, MAX_WORDS) | (Math.min(directoryWords, MAX_WORDS) << 16))
    this.pathAt.push(this.pathBytes)
    const path = encoder.encode(file.path)
    this.paths.push(path)
    if (file.path < this.lastPath) this.isSorted = false
    this.lastPath = file.path
    this.pathBytes += path.length
    this.addDocument(0, 0, 0)
  }

  /** Adds the row of a chunk of the file that was added last. The symbols of the chunk must have been added before. */
  addChunk(chunk: KeywordChunk, body: number, doc: number, names: number): void {
    const file = this.files - 1
    this.body.values[file]! += body
    this.doc.values[file]! += doc
    this.names.values[file]! += names
    const lengths = encodeLength(body) | (encodeLength(doc) << 8) | (encodeLength(names) << 16)
    this.addDocument(chunk.startLine, chunk.endLine, lengths, chunk.symbols.length)
  }

  addSymbol(distinctWords: number): void {
    this.symbolWords.push(Math.min(distinctWords, 255))
  }

  counts(): Omit<SegmentCounts, "terms"> {
    const { files, documents, symbols } = this
    const words = wordCounts(this.body.view(), this.doc.view(), this.names.view(), this.words.view())
    return { files, documents, symbols, sorted: this.isSorted ? 1 : 0, ...words }
  }

  byteLength(): number {
    return this.files * 40 + this.documents * 19 + this.symbols + this.pathBytes + 1024
  }

  write(writer: SegmentWriter): void {
    writer.add("fileId", this.id.view())
    this.first.push(this.documents)
    writer.add("fileFirst", this.first.view())
    writer.add("fileLines", this.lines.view())
    writer.add("fileFlags", this.flags.view())
    writer.add("fileBody", this.body.view())
    writer.add("fileDoc", this.doc.view())
    writer.add("fileNames", this.names.view())
    writer.add("fileWords", this.words.view())
    this.pathAt.push(this.pathBytes)
    writer.add("pathAt", this.pathAt.view())
    writer.add("paths", concatenate(this.paths, this.pathBytes))
    writer.add("fileOf", fileOfDocuments(this.first.view(), this.documents))
    writer.add("chunkStart", this.start.view())
    writer.add("chunkEnd", this.end.view())
    this.firstSymbol.push(this.symbols)
    writer.add("firstSymbol", this.firstSymbol.view())
    const lengths = this.lengths.view()
    writer.add("bodyLength", Uint8Array.from(lengths))
    writer.add(
      "docLength",
      Uint8Array.from(lengths, (packed) => packed >>> 8),
    )
    writer.add(
      "namesLength",
      Uint8Array.from(lengths, (packed) => packed >>> 16),
    )
    writer.add("symbolWords", Uint8Array.from(this.symbolWords.view()))
  }

  clear(): void {
    for (const column of Object.values(this)) if (column instanceof GrowingU32) column.clear()
    this.paths = []
    this.pathBytes = 0
    this.lastPath = ""
    this.isSorted = true
  }

  private addDocument(start: number, end: number, lengths: number, symbols = 0): void {
    this.start.push(start)
    this.end.push(end)
    this.lengths.push(lengths)
    this.firstSymbol.push(this.symbols - symbols)
  }
}

export type WordCounts = Pick<
  SegmentCounts,
  "bodyWords" | "docWords" | "namesWords" | "stemWords" | "dirsWords"
>

/**
 * The total word counts for the header of a segment, computed from the columns fileBody, fileDoc, fileNames and
 * fileWords.
 */
export function wordCounts(
  body: Uint32Array,
  doc: Uint32Array,
  names: Uint32Array,
  words: Uint32Array,
): WordCounts {
  const sum = (column: Uint32Array) => column.reduce((total, value) => total + value, 0)
  return {
    bodyWords: sum(body),
    docWords: sum(doc),
    namesWords: sum(names),
    stemWords: words.reduce((total, value) => total + (value & 0xffff), 0),
    dirsWords: words.reduce((total, value) => total + (value >>> 16), 0),
  }
}

/** Computes the column fileOf, which contains the file of each document, from the column fileFirst (`first`). */
export function fileOfDocuments(first: Uint32Array, documents: number): Uint32Array {
  const fileOf = new Uint32Array(documents)
  for (let file = 0; file + 1 < first.length; file++) fileOf.fill(file, first[file]!, first[file + 1]!)
  return fileOf
}

const MAX_WORDS = 0xffff
const encoder = new TextEncoder()

function concatenate(parts: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
