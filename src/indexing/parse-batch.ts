import { createSegmentBuilder } from "../keyword/builder.ts"
import type { FileOutcome, ParsedBatch, ParseTask } from "./messages.ts"
import { processFile } from "./process-file.ts"

/** Reads and cuts a batch of files and builds the keyword segment of what they hold. */
export async function parseBatch(task: ParseTask): Promise<ParsedBatch> {
  const builder = createSegmentBuilder()
  const outcomes: FileOutcome[] = []
  let files = 0
  let chunks = 0
  for (const file of task.files) {
    const { outcome, keyword } = await processFile(task.root, file, task.limits)
    outcomes.push(outcome)
    if (keyword === null) continue
    builder.add(keyword)
    files++
    chunks += keyword.chunks.length
  }
  return { outcomes, segments: files > 0 ? [{ files, chunks, blob: builder.finish() }] : [] }
}
