import { lookAt } from "../indexing/look.ts"
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
  const isCurrent = () => {
    if (reader === null) return true
    // A run under way has put the last snapshot aside: until it is done there is nothing to compare with.
    const { since } = lookAt(root, config, reader.store, true)
    return since !== null && since.changed.length + since.removed.length === 0
  }
  if (isCurrent()) return
  want(config.indexDir, new Date())
  const until = performance.now() + PATIENCE_MS
  while (performance.now() < until) {
    await Bun.sleep(POLL_MS)
    if (isCurrent()) return
  }
}
