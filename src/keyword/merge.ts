import { writeColumns } from "./merge-columns.ts"
import { planMerge } from "./merge-plan.ts"
import { mergePostings } from "./merge-postings.ts"
import { openSegment } from "./segment.ts"
import { createSegmentWriter, type SegmentSink } from "./segment-writer.ts"

/** A whole segment, and the ids of its files that are gone. */
export type MergePart = { readonly bytes: Uint8Array; readonly dead: ReadonlySet<number> }

/**
 * One segment of all live files of many, in the order of their paths: the same files give the same bytes, ids
 * apart, however they were spread. Terms are streamed; beside the result only the tables of documents and the
 * dictionary are held. The result may be a view of a somewhat larger buffer; with a sink it is the header alone.
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
