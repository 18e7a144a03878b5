import type { SkippedRow } from "../store/skipped.ts"
import type { Store } from "../store/store.ts"
import type { FileOutcome, ParsedBatch } from "./messages.ts"

export type Committed = { readonly indexed: number; readonly same: number; readonly chunks: number }

type Indexed = Extract<FileOutcome, { status: "indexed" }>

/**
 * Records a batch in one transaction: the new versions with their chunks, symbols and postings appear together
 * with the disappearance of the old ones. `oldIds` has the version each path had before.
 */
export function commitBatch(
  store: Store,
  batch: ParsedBatch,
  oldIds: ReadonlyMap<string, number>,
): Committed {
  const indexed = batch.outcomes.filter((outcome): outcome is Indexed => outcome.status === "indexed")
  const skipped: SkippedRow[] = []
  const gone: number[] = []
  let same = 0
  let chunks = 0
  store.transaction(() => {
    for (const outcome of batch.outcomes) {
      if (outcome.status === "same") {
        same++
        store.files.touch(oldIds.get(outcome.path)!, outcome.size, outcome.mtimeMs)
        continue
      }
      const path = outcome.status === "indexed" ? outcome.file.path : outcome.path
      const old = oldIds.get(path)
      if (old !== undefined) gone.push(old)
      if (outcome.status === "skipped") skipped.push(outcome)
    }
    store.removeFiles(gone)
    store.skipped.add(skipped)
    store.skipped.remove(indexed.map((outcome) => outcome.file.path))
    store.files.add(indexed.map((outcome) => outcome.file))
    for (const outcome of indexed) {
      chunks += outcome.chunks.length
      store.chunks.add(outcome.chunks)
      store.symbols.add(outcome.symbols)
    }
    for (const segment of batch.segments) store.segments.add(segment)
  })
  return { indexed: indexed.length, same, chunks }
}
