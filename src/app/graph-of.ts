import { SymbolGraph } from "../graph/symbol-graph.ts"
import type { Store } from "../store/store.ts"

const graphs = new WeakMap<Store, SymbolGraph>()

/** The graph over an index for one question, kept as long as that is open: it remembers what it read. */
export function graphOf(store: Store): SymbolGraph {
  let graph = graphs.get(store)
  if (!graph) {
    graph = new SymbolGraph(store)
    graphs.set(store, graph)
  }
  return graph.follow()
}
