import type { Store } from "../store/store.ts"
import { countPaths } from "./count-paths.ts"
import type { FileOutcome, ParsedBatch } from "./messages.ts"

export type Committed = { readonly indexed: number; readonly chunks: number }

type Outcome<Status> = Extract<FileOutcome, { status: Status }>

/**
 * Records a batch in one transaction: the new versions with their chunks, symbols and postings appear together
 * with the disappearance of the old ones. `oldIds` has the version each path had before.
 */
export function commitBatch(
  store: Store,
  batch: ParsedBatch,
  oldIds: ReadonlyMap<string, number>,
): Committed {
  const of = <Status extends FileOutcome["status"]>(status: Status) =>
    batch.outcomes.filter((outcome): outcome is Outcome<Status> => outcome.status === status)
  const indexed = of("indexed")
  const skipped = of("skipped")
  const paths = [...indexed.map(({ file }) => file.path), ...skipped.map(({ path }) => path)]
  store.transaction(() => {
    for (const same of of("same")) store.files.touch(oldIds.get(same.path)!, same.size, same.mtimeMs)
    store.removeFiles(paths.flatMap((path) => oldIds.get(path) ?? []))
    countPaths(store, appearing(indexed, oldIds), 1)
    countPaths(
      store,
      skipped.flatMap(({ path }) => (oldIds.has(path) ? [path] : [])),
      -1,
    )
    store.skipped.add(skipped)
    store.skipped.remove(indexed.map(({ file }) => file.path))
    store.files.add(indexed.map(({ file }) => file))
    for (const { chunks, symbols, uses } of indexed) {
      store.chunks.add(chunks)
      store.symbols.add(symbols)
      if (uses !== null) store.uses.add(uses)
    }
    for (const segment of batch.segments) store.segments.add(segment)
  })
  return { indexed: indexed.length, chunks: indexed.reduce((sum, { chunks }) => sum + chunks.length, 0) }
}

function appearing(indexed: readonly Outcome<"indexed">[], oldIds: ReadonlyMap<string, number>): string[] {
  return indexed.flatMap(({ file }) => (oldIds.has(file.path) ? [] : [file.path]))
}
