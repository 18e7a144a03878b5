import type { Store } from "../../store/index/store.ts"
import { readState, writeState } from "../index-state.ts"
import type { RunContext } from "./run.ts"

/**
 * In a project with at most this many files, ranks are recomputed after every change, because this takes only a few
 * milliseconds.
 */
const SMALL_FILES = 1000
/**
 * In a larger project, ranks are recomputed once this share of its files has changed, because one edited file changes
 * no rank noticeably.
 */
const DUE_SHARE = 0.01

/** Recomputes the ranks of files and names when enough files have changed since they were computed. */
export async function rankIfDue({ store, config, pool }: RunContext, check: () => void): Promise<void> {
  if (!isRankDue(store)) return
  const task = { kind: "rank", folder: config.index.dir } as const
  const { files, names } = await pool().run(task, { isAlone: isLarge(store) })
  check()
  store.transaction(() => {
    store.centrality.replace(files, names)
    writeState(store, { unranked: 0 })
  })
}

export function isRankDue(store: Store): boolean {
  const { unranked } = readState(store)
  if (unranked === 0) return false
  const all = store.files.totals().files
  return all <= SMALL_FILES || unranked >= all * DUE_SHARE
}

// Number of chunks from which a new worker is started for a merge. With fewer chunks, starting it (60 ms) costs more
// than the memory that an old worker occupies.
const LARGE_CHUNKS = 15_000

/** True for an index so large that a merge should run in a new worker, which is ended after it. */
export function isLarge(store: Store): boolean {
  return store.files.totals().chunks > LARGE_CHUNKS
}
