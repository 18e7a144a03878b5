import { AmanError } from "../../base/errors.ts"
import { fileIdentity } from "../../base/files.ts"
import { indexPath } from "../../index/index-folder.ts"
import { isDamage } from "../../store/sqlite-error.ts"
import { DamagedUses } from "../../symbols/references/file-names.ts"
import type { Project } from "../project/open-project.ts"
import type { SearchOptions } from "../search/search-project.ts"
import { markDamagedIn } from "./ask-leader.ts"
import { leadOrWait } from "./lead-or-wait.ts"

const MAX_RETRIES = 2
/** The leader checks twice a second, and its new file appears at once; the content follows later. */
const PATIENCE_MS = 5_000
const POLL_MS = 50

/**
 * Runs `ask`, and again after a damaged index was deleted and rebuilt, here or by the leader. INDEX_BUSY if
 * the leader has not done so in time.
 */
export async function withSoundIndex<T>(
  project: Project,
  options: SearchOptions,
  ask: () => T | Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      if (attempt > MAX_RETRIES || !isCausedByDamage(project, error)) throw error
      await waitForRebuild(project, options, error)
    }
  }
}

/**
 * True if the index's damage caused the error. A row that aman did not write can cause any error, so SQLite's
 * own check of the file decides.
 */
function isCausedByDamage(project: Project, error: unknown): boolean {
  if (error instanceof DamagedUses) return false
  if (isDamage(error)) return true
  if (error instanceof AmanError || !(error instanceof Error) || "syscall" in error) return false
  try {
    return project.reader()?.store.isSound() === false
  } catch (cause) {
    return isDamage(cause)
  }
}

async function waitForRebuild(
  project: Project,
  { refresh, signal, onDamaged }: SearchOptions,
  cause: unknown,
) {
  const { dir } = project.config.index
  const damaged = fileIdentity(indexPath(dir))
  markDamagedIn({ root: project.root, dir })
  if (refresh) {
    // A server does not rebuild here because other queries are running; its reader is replaced once the file
    // is.
    project.close()
    using indexer = await leadOrWait(project, signal)
    if (indexer !== null) {
      await indexer.run({ signal })
      return
    }
  } else await onDamaged?.()
  const until = performance.now() + PATIENCE_MS
  while (fileIdentity(indexPath(dir)) === damaged) {
    if (performance.now() > until || signal?.aborted) throw rebuildInProgress(cause)
    await Bun.sleep(POLL_MS)
  }
}

function rebuildInProgress(cause: unknown): AmanError {
  return new AmanError("INDEX_BUSY", "the index was damaged and is being made anew", {
    hint: "ask again in a moment",
    cause,
  })
}
