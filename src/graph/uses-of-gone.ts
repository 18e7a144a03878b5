import { asMember } from "../code/use-code.ts"
import type { Budget } from "./budget.ts"
import { Candidates } from "./candidates.ts"
import type { Definition } from "./definition.ts"
import { type Edge, edgeOf } from "./edge.ts"
import { FileMeanings } from "./file-meanings.ts"
import { DOUBTFUL } from "./resolve.ts"
import type { SymbolGraph } from "./symbol-graph.ts"
import { isOfOther, writtenAs } from "./written-name.ts"

/** Uses that would mean a definition if it were still there, rather than any other of its name: they break. */
export function usesOfGone(graph: SymbolGraph, gone: Definition, budget: Budget): Edge[] {
  const { name } = gone.symbol
  const candidates = new Candidates([...graph.definitionsOf(name), gone])
  const edges: Edge[] = []
  for (const file of graph.filesUsing(writtenAs(name))) {
    if (budget.isSpent) break
    if (file.family !== gone.file.family) continue
    budget.spend()
    const meanings = new FileMeanings(file, candidates, graph.types)
    for (const use of file.usesOf(writtenAs(name))) {
      if (isOfOther(name, use)) continue
      const mine = meanings.of(asMember(use)).find(({ definition }) => definition === gone)
      if (mine && mine.confidence >= DOUBTFUL)
        edges.push(edgeOf(use, file, { confidence: mine.confidence, target: gone }))
    }
  }
  return edges
}
