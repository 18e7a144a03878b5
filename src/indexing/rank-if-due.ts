import { readState, writeState } from "./index-state.ts"
import type { RunContext } from "./run.ts"

/** Works out how central each file is, where anything changed since that was done. */
export async function rankIfDue({ store, config, pool }: RunContext, check: () => void): Promise<void> {
  if (readState(store).isRanked) return
  const { files, names } = await pool().run({ kind: "rank", folder: config.index.dir })
  check()
  store.transaction(() => {
    store.centrality.replace(files, names)
    writeState(store, { isRanked: true })
  })
}
