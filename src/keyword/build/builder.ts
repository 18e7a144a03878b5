import { firstNot } from "../../base/sorted.ts"
import { clearTerms, createTermBuffer } from "../../text/terms/term-buffer.ts"
import { tokenize } from "../../text/terms/tokenize.ts"
import { FileColumns } from "../format/file-columns.ts"
import type { SegmentCounts } from "../format/layout.ts"
import type { DictionaryBuilder } from "../format/term-dictionary.ts"
import type { KeywordChunk, KeywordFile } from "../port.ts"
import { encodePostings } from "./encode-postings.ts"
import { FIRST_UNIT, PostingLog, SECOND_UNIT, THIRD_UNIT } from "./posting-log.ts"
import { createSegmentWriter } from "./segment-writer.ts"

/** Builds keyword segments one after the other, and reuses its buffers. */
export type SegmentBuilder = {
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
