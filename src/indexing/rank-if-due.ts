import { readState, writeState } from "./index-state.ts"
import type { RunContext } from "./run.ts"

/** In a smaller project ranks are always those of its files as they are: a few milliseconds. */
const SMALL_FILES = 1000
/** In a larger one, after so much of it changed: one edited file moves no rank that anybody sees. */
const DUE_SHARE = 0.01

/** Works out how central each file is, where enough changed since that was done. */
export async function rankIfDue({ store, config, pool }: RunContext, check: () => void): Promise<void> {
  const { unranked } = readState(store)
  const all = store.files.totals().files
  if (unranked === 0 || (all > SMALL_FILES && unranked < all * DUE_SHARE)) return
  const { files, names } = await pool().run({ kind: "rank", folder: config.index.dir })
  check()
  store.transaction(() => {
    store.centrality.replace(files, names)
    writeState(store, { unranked: 0 })
  })
}
