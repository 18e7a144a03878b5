import { lookAt } from "../indexing/look.ts"
import type { ScannedFile } from "../indexing/scan-result.ts"
import { want } from "../indexing/wanted.ts"
import type { Project } from "./open-project.ts"

const POLL_MS = 50
// A leader asks itself twice a second whether it is wanted; an edit is indexed in a few dozen milliseconds.
const PATIENCE_MS = 3_000

/**
 * Lets the process that leads bring the index up to date with edits that it may not have seen. Costs one look at
 * the files where nothing changed; gives up after a while, and then what is stale is left out of answers.
 */
export async function askLeader(project: Project): Promise<void> {
  const { root, config } = project
  const reader = project.reader()
  // A file dated in the future counts as changed at every look, whatever it holds.
  const isIndexedSo = (file: ScannedFile) => {
    const row = reader?.store.files.byPath(file.path)
    return row?.size === file.size && row.mtimeMs === file.mtimeMs
  }
  const isCurrent = () => {
    if (reader === null) return true
    // A run under way has put the last snapshot aside: until it is done there is nothing to compare with.
    const { since } = lookAt(root, config, reader.store, true)
    return since !== null && since.removed.length === 0 && since.changed.every(isIndexedSo)
  }
  if (isCurrent()) return
  want(config.index.dir, new Date())
  const until = performance.now() + PATIENCE_MS
  while (performance.now() < until) {
    await Bun.sleep(POLL_MS)
    if (isCurrent()) return
  }
}
