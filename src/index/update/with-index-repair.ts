import { AmanError, fileIdentity } from "../../base/index.ts"
import { DamagedUses, isDamage } from "../../store/index.ts"
import { indexPath } from "../index-folder.ts"
import type { Project } from "../open/open-project.ts"
import {
  ensureFresh,
  ensureReread,
  type FreshOptions,
  leadOrWait,
  markDamagedIn,
  type Snapshot,
} from "./ensure-fresh.ts"

export type AnswerOptions = {
  /** Bring the index up to date first, unless another process does so. */
  readonly refresh: boolean
  readonly signal?: AbortSignal | undefined
  readonly quickFiles?: FreshOptions["quickFiles"]
  /** Requests that files which changed or whose stored data is damaged are indexed again; without paths, a rescan. */
  readonly reindex?: (paths: readonly string[]) => Promise<ReindexOutcome>
}

/**
 * `done`: the index is up to date now; `pending`: an update is running; `none`: this process cannot have the
 * files indexed.
 */
export type ReindexOutcome = "done" | "pending" | "none"

/**
 * Max retries for each kind of damage. The leader repairs all known damage at once, but more may be found
 * meanwhile.
 */
const MAX_RETRIES = 2
/**
 * Max wait for a rebuilt index. The leader checks for damage twice a second and creates the new file at once;
 * its content follows later.
 */
const REPAIR_TIMEOUT_MS = 5_000

const POLL_MS = 50

/**
 * Runs `ask`, and repeats it after the damage that it found was repaired: an index is deleted and rebuilt, or a
 * file is read again because its stored uses are damaged. INDEX_BUSY if the leader has not repaired it in time.
 */
export async function withIndexRepair<T>(
  project: Project,
  options: AnswerOptions,
  ask: () => T | Promise<T>,
): Promise<T> {
  let rereads = 0
  let rebuilds = 0
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof DamagedUses && rereads++ < MAX_RETRIES) await rereadUses(project, options, error)
      else if (isCausedByDamage(project, error) && rebuilds++ < MAX_RETRIES)
        await waitForRebuild(project, options, error)
      else throw error
    }
  }
}

/** The index that a question is answered from, brought up to date if the options ask for it. */
export async function snapshotFor(project: Project, options: AnswerOptions): Promise<Snapshot> {
  return options.refresh ? ensureFresh(project, options) : { reader: project.reader(), failure: null }
}

/** Updates the index after files turned out to differ from it; without suspects, rescans. */
export async function reindex(
  project: Project,
  options: AnswerOptions,
  suspects: readonly string[],
): Promise<Snapshot & { readonly outcome: ReindexOutcome }> {
  if (!options.refresh) {
    const outcome = (await options.reindex?.(suspects)) ?? "none"
    return { reader: project.reader(), failure: null, outcome }
  }
  const snapshot =
    suspects.length > 0 ? await ensureReread(project, suspects, options) : await ensureFresh(project, options)
  return { ...snapshot, outcome: snapshot.failure === null ? "done" : "none" }
}

async function rereadUses(project: Project, options: AnswerOptions, error: DamagedUses): Promise<void> {
  const { outcome } = await reindex(project, options, [error.path])
  if (outcome === "none") throw error
  if (outcome === "pending")
    throw new AmanError("INDEX_BUSY", `${error.message}, and are being read again`, {
      hint: "try again in a moment",
      cause: error,
    })
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

async function waitForRebuild(project: Project, { refresh, signal, reindex }: AnswerOptions, cause: unknown) {
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
  } else await reindex?.([])
  const until = performance.now() + REPAIR_TIMEOUT_MS
  while (fileIdentity(indexPath(dir)) === damaged) {
    if (performance.now() > until || signal?.aborted) throw rebuildInProgress(cause)
    await Bun.sleep(POLL_MS)
  }
}

function rebuildInProgress(cause: unknown): AmanError {
  return new AmanError("INDEX_BUSY", "the index was damaged and is being rebuilt", {
    hint: "try again in a moment",
    cause,
  })
}
