import { createSegmentWriter, type SegmentSink, type SegmentWriter } from "../build/segment-writer.ts"
import { fileOfDocuments, type WordCounts, wordCounts } from "../format/file-columns.ts"
import { openSegment, type Segment } from "../format/segment.ts"
import { type MergePlan, planMerge } from "./merge-plan.ts"
import { mergePostings } from "./merge-postings.ts"

/** A complete segment, and the ids of its files that were deleted or replaced by newer versions. */
export type MergePart = { readonly bytes: Uint8Array; readonly dead: ReadonlySet<number> }

/**
 * Merges the files of several segments into one segment, in the order of their paths and without deleted files. The
 * result depends only on the files (except for their ids), and not on how they were distributed over segments. Terms
 * are processed as a stream, so that besides the result only the tables of documents and the dictionary are in memory.
 * The result may be part of a slightly larger buffer; with a sink, it is only the header.
 */
export function mergeSegments(parts: readonly MergePart[], sink: SegmentSink | null = null): Uint8Array {
  const segments = parts.map((part) => openSegment(part.bytes))
  const plan = planMerge(
    segments,
    parts.map((part) => part.dead),
  )
  const writer = createSegmentWriter(
    parts.reduce((sum, part) => sum + part.bytes.length, 0),
    sink,
  )
  const words = writeColumns(segments, plan, writer)
  const spaces = segments.map((segment, i) => ({ space: segment.words, map: plan.documentMaps[i]! }))
  const terms = mergePostings(spaces, writer)
  const { documents, symbols } = plan
  return writer.finish({
    files: plan.files.length,
    documents,
    symbols,
    terms,
    sorted: 1,
    ...words,
  })
}

/** Writes the tables of files, documents and symbols in the new order. Returns the total word counts of the files. */
function writeColumns(segments: readonly Segment[], plan: MergePlan, writer: SegmentWriter): WordCounts {
  const ofFiles = (column: FileColumn) =>
    Uint32Array.from(plan.files, ({ segment, file }) => segments[segment]![column][file]!)
  writer.add("fileId", ofFiles("fileId"))
  const first = stairs(segments, plan, (segment, file) => documentsOf(segment, file))
  writer.add("fileFirst", first)
  writer.add("fileLines", ofFiles("fileLines"))
  writer.add("fileFlags", ofFiles("fileFlags"))
  const [body, doc] = [ofFiles("fileBody"), ofFiles("fileDoc")]
  const [names, words] = [ofFiles("fileNames"), ofFiles("fileWords")]
  writer.add("fileBody", body)
  writer.add("fileDoc", doc)
  writer.add("fileNames", names)
  writer.add("fileWords", words)
  writer.add(
    "pathAt",
    stairs(segments, plan, (segment, file) => pathTermRange(segment, file)),
  )
  writer.add("paths", paths(segments, plan))
  writer.add("fileOf", fileOfDocuments(first, plan.documents))
  writer.add("chunkStart", ofDocuments(segments, plan, "chunkStart", new Uint32Array(plan.documents)))
  writer.add("chunkEnd", ofDocuments(segments, plan, "chunkEnd", new Uint32Array(plan.documents)))
  writer.add("firstSymbol", firstSymbols(segments, plan))
  for (const column of ["bodyLength", "docLength", "namesLength"] as const) {
    writer.add(column, ofDocuments(segments, plan, column, new Uint8Array(plan.documents)))
  }
  writer.add("symbolWords", symbolWords(segments, plan))
  return wordCounts(body, doc, names, words)
}

/**
 * Copies source[from, to) to position `at`, and returns the position after it. This is a loop, because creating a
 * subarray for each file would create a hundred thousand objects.
 */
function copy<T extends Uint32Array | Uint8Array>(
  source: T,
  from: number,
  to: number,
  into: T,
  at: number,
): number {
  for (let i = from; i < to; i++) into[at++] = source[i]!
  return at
}

type FileColumn = "fileId" | "fileLines" | "fileFlags" | "fileBody" | "fileDoc" | "fileNames" | "fileWords"
type DocumentColumn = "chunkStart" | "chunkEnd" | "bodyLength" | "docLength" | "namesLength"
type DocumentRange = readonly [from: number, to: number]

function documentsOf(segment: Segment, file: number): DocumentRange {
  return [segment.fileFirst[file]!, segment.fileFirst[file + 1]!]
}

function pathTermRange(segment: Segment, file: number): DocumentRange {
  return [segment.pathAt[file]!, segment.pathAt[file + 1]!]
}

function symbolsOf(segment: Segment, file: number): DocumentRange {
  const [from, to] = documentsOf(segment, file)
  return [segment.firstSymbol[from]!, segment.firstSymbol[to]!]
}

/** The running sums of the lengths of the files' ranges, starting at 0; one number more than there are files. */
function stairs(
  segments: readonly Segment[],
  { files }: MergePlan,
  rangeOf: (segment: Segment, file: number) => DocumentRange,
): Uint32Array {
  const sums = new Uint32Array(files.length + 1)
  files.forEach(({ segment, file }, i) => {
    const [from, to] = rangeOf(segments[segment]!, file)
    sums[i + 1] = sums[i]! + to - from
  })
  return sums
}

function ofDocuments<T extends Uint32Array | Uint8Array>(
  segments: readonly Segment[],
  { files }: MergePlan,
  column: DocumentColumn,
  into: T,
): T {
  let at = 0
  for (const { segment, file } of files) {
    const [from, to] = documentsOf(segments[segment]!, file)
    at = copy(segments[segment]![column], from, to, into, at)
  }
  return into
}

function firstSymbols(segments: readonly Segment[], { files, documents, symbols }: MergePlan): Uint32Array {
  const first = new Uint32Array(documents + 1)
  let document = 0
  let symbol = 0
  for (const { segment: place, file } of files) {
    const segment = segments[place]!
    const [from, to] = documentsOf(segment, file)
    const before = segment.firstSymbol[from]!
    for (let old = from; old < to; old++) first[document++] = symbol + segment.firstSymbol[old]! - before
    symbol += segment.firstSymbol[to]! - before
  }
  first[documents] = symbols
  return first
}

function paths(segments: readonly Segment[], { files }: MergePlan): Uint8Array {
  const length = files.reduce((sum, { segment, file }) => {
    const [from, to] = pathTermRange(segments[segment]!, file)
    return sum + to - from
  }, 0)
  const bytes = new Uint8Array(length)
  let at = 0
  for (const { segment, file } of files) {
    const [from, to] = pathTermRange(segments[segment]!, file)
    at = copy(segments[segment]!.paths, from, to, bytes, at)
  }
  return bytes
}

function symbolWords(segments: readonly Segment[], { files, symbols }: MergePlan): Uint8Array {
  const words = new Uint8Array(symbols)
  let at = 0
  for (const { segment, file } of files) {
    const [from, to] = symbolsOf(segments[segment]!, file)
    at = copy(segments[segment]!.symbolWords, from, to, words, at)
  }
  return words
}
