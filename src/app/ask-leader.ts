import { want } from "../indexing/wanted.ts"
import type { Project } from "./open-project.ts"
import { pendingFiles } from "./pending.ts"

const POLL_MS = 50
// A leader asks itself twice a second whether it is wanted; an edit is indexed in a few dozen milliseconds.
const PATIENCE_MS = 3_000

/**
 * Lets the process that leads bring the index up to date with edits that it may not have seen. Costs one look at
 * the files where nothing changed; gives up after a while, and then what is stale is left out of answers.
 */
export async function askLeader(project: Project): Promise<void> {
  const reader = project.reader()
  if (reader === null) return
  // A run under way has put the last snapshot aside: until it is done there is nothing to compare with.
  const isCurrent = () => pendingFiles(project, reader.store) === 0
  if (isCurrent()) return
  want(project.config.index.dir, new Date())
  const until = performance.now() + PATIENCE_MS
  while (performance.now() < until) {
    await Bun.sleep(POLL_MS)
    if (isCurrent()) return
  }
}
