import { existsSync } from "node:fs"
import { AmanError } from "../base/errors.ts"
import { isPlain } from "../base/file-identity.ts"
import { indexPath } from "../indexing/index-folder.ts"
import { readState } from "../indexing/index-state.ts"
import type { WorkerPool } from "../indexing/worker-pool.ts"
import { lockPath } from "../store/lead.ts"
import { isOfOlderSchema } from "../store/open.ts"
import { askLeader } from "./ask-leader.ts"
import { Indexer } from "./indexer.ts"
import type { Project } from "./open-project.ts"
import { isTheirs } from "./own-index-dir.ts"

// Two processes that start together should not make the second wait noticeably longer than the first.
const POLL_MS = 50
// Who leads and is no older than we are brings the schema up to date at once.
const OLDER_MS = 3_000

/**
 * The write side, or null once another process that has it has seen what we would: the whole project the first
 * time, later the edits made until now, and the suspects. Takes over if that one ends. INDEX_BUSY where it is an older
 * aman, whose index we cannot read; IO where nobody can lead.
 */
export async function leadOrWait(
  project: Project,
  signal?: AbortSignal,
  pool?: WorkerPool,
  suspects: readonly string[] = [],
): Promise<Indexer | null> {
  let isAnswered: (() => boolean) | null = null
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const indexer = Indexer.take(project, pool)
    if (indexer !== null) return indexer
    const reader = project.reader()
    if (reader !== null && readState(reader.store).indexedAt !== null) {
      isAnswered ??= askLeader(project, reader.store, suspects)
      if (isAnswered()) return null
    }
    if (reader === null && waitedMs >= OLDER_MS) refuseHopeless(project.config.index.dir)
    if (signal?.aborted) throw new AmanError("INTERRUPTED", "interrupted while another aman was indexing")
    await Bun.sleep(POLL_MS)
  }
}

/** Nobody who leads will ever make this index one that we can read. */
function refuseHopeless(indexDir: string): void {
  // Who leads leaves it there: where it is not, nobody could make it.
  if (!existsSync(lockPath(indexDir))) {
    throw new AmanError("IO", `no index can be kept in ${indexDir}: its lock file cannot be made`, {
      hint: "name a shorter path, or another place, with AMAN_INDEX_DIR",
    })
  }
  if (isTheirs(indexDir)) {
    throw new AmanError("INDEX_BUSY", `an aman with another data folder keeps the index in ${indexDir}`, {
      hint: "name another folder for yours with AMAN_INDEX_DIR, or end that one, then ask again",
    })
  }
  const path = indexPath(indexDir)
  if (!isPlain(path) || !isOfOlderSchema(path)) return
  throw new AmanError("INDEX_BUSY", `an older aman keeps the index in ${indexDir}`, {
    hint: "end it (restart your agent), then ask again",
  })
}
