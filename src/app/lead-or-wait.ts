import { AmanError } from "../base/errors.ts"
import { readState } from "../indexing/index-state.ts"
import type { WorkerPool } from "../indexing/worker-pool.ts"
import { askLeader } from "./ask-leader.ts"
import { Indexer } from "./indexer.ts"
import type { Project } from "./open-project.ts"

// Two processes that start together should not make the second wait noticeably longer than the first.
const POLL_MS = 50

/**
 * The write side, or null once another process that has it has seen what we would: the whole project the first
 * time, later the edits made until now. Takes over if that one ends.
 */
export async function leadOrWait(
  project: Project,
  signal?: AbortSignal,
  pool?: WorkerPool,
): Promise<Indexer | null> {
  let isAnswered: (() => boolean) | null = null
  for (;;) {
    const indexer = Indexer.take(project, pool)
    if (indexer !== null) return indexer
    const reader = project.reader()
    if (reader !== null && readState(reader.store).indexedAt !== null) {
      isAnswered ??= askLeader(project, reader.store)
      if (isAnswered()) return null
    }
    if (signal?.aborted) throw new AmanError("INTERRUPTED", "interrupted while another aman was indexing")
    await Bun.sleep(POLL_MS)
  }
}
