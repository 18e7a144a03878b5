import type { Store } from "../store/store.ts"
import { readState, writeState } from "./index-state.ts"
import { isLarge } from "./is-large.ts"
import type { RunContext } from "./run.ts"

/** In a smaller project ranks are always those of its files as they are: a few milliseconds. */
const SMALL_FILES = 1000
/** In a larger one, after so much of it changed: one edited file moves no rank that anybody sees. */
const DUE_SHARE = 0.01

/** Works out how central each file is, where enough changed since that was done. */
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
