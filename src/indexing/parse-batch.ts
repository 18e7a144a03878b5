import { wasmMemoryBytes } from "../code/parse.ts"
import { createSegmentBuilder } from "../keyword/builder.ts"
import type { FileOutcome, ParsedBatch, ParseTask } from "./messages.ts"
import { processFile } from "./process-file.ts"

/** A parser of this size is not given the next file: a new thread's is small. */
const LARGE_PARSER_BYTES = 192 * 1024 * 1024

/**
 * Reads and cuts a batch of files and builds the keyword segment of what they hold. One that breaks the parser, or
 * makes it enormous, is the last: the outcomes then are fewer than the files, and the rest is for another thread.
 */
export async function parseBatch(
  task: ParseTask,
  onProgress: (files: number) => void = () => {},
): Promise<ParsedBatch> {
  const builder = createSegmentBuilder()
  const outcomes: FileOutcome[] = []
  const before = wasmMemoryBytes()
  let files = 0
  let chunks = 0
  for (const file of task.files) {
    const { outcome, keyword } = await processFile(task.root, file, task.limits)
    if (keyword !== null) {
      builder.add(keyword)
      files++
      chunks += keyword.chunks.length
    }
    onProgress(outcomes.push(outcome))
    // A notebook is read whole for the sake of its cells: megabytes of garbage that no other file brings.
    if (sizeOf(outcome) > task.limits.maxFileBytes) Bun.gc(true)
    if (wasmMemoryBytes() > Math.max(LARGE_PARSER_BYTES, before)) break
  }
  return { outcomes, segments: files > 0 ? [{ files, chunks, blob: builder.finish() }] : [] }
}

function sizeOf(outcome: FileOutcome): number {
  return outcome.status === "indexed" ? outcome.file.size : outcome.size
}
