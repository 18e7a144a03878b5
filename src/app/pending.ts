import { lookAt } from "../indexing/look.ts"
import type { ScannedFile } from "../indexing/scan-result.ts"
import type { Store } from "../store/store.ts"
import type { Project } from "./open-project.ts"

/**
 * How many files differ from what the index has of them, by their sizes and times; null while a run is under way
 * that has put the last look aside. Costs a look at every file.
 */
export function pendingFiles({ root, config }: Project, store: Store): number | null {
  const { since } = lookAt(root, config, store, true)
  if (since === null) return null
  // The look compares with the last one at everything, and the index may be ahead of that.
  const removed = since.removed.filter((path) => store.files.byPath(path) !== null)
  return removed.length + since.changed.filter((file) => !isKnown(store, file)).length
}

function isKnown(store: Store, { path, size, mtimeMs }: ScannedFile): boolean {
  const known = store.files.byPath(path) ?? store.skipped.get(path)
  return known?.size === size && known.mtimeMs === mtimeMs
}
