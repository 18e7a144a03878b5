import { AmanError } from "../../base/errors.ts"
import type { Store } from "../../store/index/store.ts"
import { DamagedUses } from "../../symbols/references/file-names.ts"
import { SymbolGraph } from "../../symbols/symbol-graph.ts"
import type { Project } from "../project/open-project.ts"
import { refreshed, type SearchOptions } from "../search/search-project.ts"

// The leader repairs all known damage at once; more may be found meanwhile.
const MAX_RETRIES = 2

/** Runs a question, and again after damaged uses in the index were rebuilt from their files. */
export async function withSoundUses<T>(
  project: Project,
  options: SearchOptions,
  ask: () => T | Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof DamagedUses) || attempt > MAX_RETRIES) throw error
      const { mended } = await refreshed(project, options, [error.path])
      if (mended === "not") throw error
      if (mended === "later") throw beingRead(error)
    }
  }
}

function beingRead(cause: DamagedUses): AmanError {
  return new AmanError("INDEX_BUSY", `${cause.message}, and are being read again`, {
    hint: "ask again in a moment",
    cause,
  })
}

const graphs = new WeakMap<Store, SymbolGraph>()

/**
 * The graph of an open store, updated for one question. It is kept while the store is open, because it caches
 * what it has read.
 */
export function graphOf(store: Store): SymbolGraph {
  let graph = graphs.get(store)
  if (!graph) {
    graph = new SymbolGraph(store)
    graphs.set(store, graph)
  }
  return graph.follow()
}
