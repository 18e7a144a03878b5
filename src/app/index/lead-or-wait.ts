import { existsSync } from "node:fs"
import { AmanError } from "../../base/errors.ts"
import { isPlain } from "../../base/files/files.ts"
import type { OpenFolder } from "../../base/files/open-folder.ts"
import { indexPath, openIndexFolder } from "../../index/index-folder.ts"
import { readState } from "../../index/index-state.ts"
import type { WorkerPool } from "../../index/pipeline/worker-pool.ts"
import type { IndexReader } from "../../search/reader.ts"
import { isOfOlderSchema } from "../../store/index/open.ts"
import { LeaderLock, lockPath } from "../../store/lock/lead.ts"
import { isDamage } from "../../store/sqlite-error.ts"
import type { Project } from "../project/open-project.ts"
import { askLeader, markDamagedIn } from "./ask-leader.ts"
import { Indexer } from "./indexer.ts"
import { isForeignIndex } from "./own-index-dir.ts"

// Interval between two attempts to take the lead. Short, so that of two processes that start together the
// second one waits hardly longer than the first.
const POLL_MS = 50
// A leader of this version or newer migrates the schema at once. If the index is still unreadable after this
// time, its leader must be older.
const OLDER_MS = 3_000

/**
 * Returns an Indexer if this process leads. If another one does, waits until that process has indexed what this one
 * would have, and returns null: at first the whole project, later the edits made until now and the files in `suspects`.
 * Takes over if the leader ends. Throws INDEX_BUSY if the leader is an older aman, whose index we cannot read, and IO if
 * no process can lead.
 */
export async function leadOrWait(
  project: Project,
  signal?: AbortSignal,
  pool?: WorkerPool,
  suspects: readonly string[] = [],
): Promise<Indexer | null> {
  let isUpToDate: (() => boolean) | null = null
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const indexer = Indexer.take(project, pool)
    if (indexer !== null) return indexer
    const reader = readerUnlessDamaged(project)
    if (reader !== null && readState(reader.store).indexedAt !== null) {
      isUpToDate ??= askLeader(project, reader.store, suspects)
      if (isUpToDate()) return null
    }
    if (reader === null && waitedMs >= OLDER_MS) throwIfUnreadable(project)
    if (signal?.aborted) throw new AmanError("INTERRUPTED", "interrupted while another aman was indexing")
    await Bun.sleep(POLL_MS)
  }
}

/**
 * Reader of the index; null if there is none, or if it is damaged, in which case the leader is told to
 * rebuild it.
 */
function readerUnlessDamaged(project: Project): IndexReader | null {
  try {
    return project.reader()
  } catch (error) {
    if (!isDamage(error)) throw error
    markDamagedIn(project.indexPlace)
    return null
  }
}

/**
 * Why no leader will ever make this index readable for us; null if that can still happen. Only for a follower
 * that finds no readable index.
 */
export function whyUnreadable({ root, config }: Project): AmanError | null {
  const indexDir = config.index.dir
  using folder = openIndexFolder({ root, dir: indexDir })
  // A leader leaves the lock file in place: if there is none, it could not be created.
  if (folder === null || !existsSync(lockPath(folder.at))) {
    return new AmanError("IO", `cannot create the lock file of the index in ${indexDir}`, {
      hint: "set AMAN_INDEX_DIR to a shorter path or another folder",
    })
  }
  if (!supportsLocks(folder)) {
    return new AmanError("IO", `cannot keep an index in ${indexDir}: its file system has no file locks`, {
      hint: "set AMAN_INDEX_DIR to a folder on a local disk",
    })
  }
  if (isForeignIndex(indexDir)) {
    return new AmanError(
      "INDEX_BUSY",
      `an aman process with another data folder is using the index in ${indexDir}`,
      {
        hint: "set AMAN_INDEX_DIR to another folder, or stop that process, then try again",
      },
    )
  }
  const path = indexPath(folder.at)
  if (!isPlain(path) || !isOfOlderSchema(path)) return null
  return new AmanError("INDEX_BUSY", `an older version of aman is using the index in ${indexDir}`, {
    hint: "stop it (restart your agent), then try again",
  })
}

/**
 * True if the file system supports locks. Tested once per folder, because callers ask many times a second.
 */
function supportsLocks(folder: OpenFolder): boolean {
  const canLock = lockSupport.get(folder.path) ?? LeaderLock.canLock(folder)
  lockSupport.set(folder.path, canLock)
  return canLock
}

const lockSupport = new Map<string, boolean>()

function throwIfUnreadable(project: Project): void {
  const reason = whyUnreadable(project)
  if (reason !== null) throw reason
}
