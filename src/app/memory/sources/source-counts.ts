import { storeFilterFor } from "../entries/entry-scope.ts"
import type { Memory } from "../memory.ts"

/** Number of valid entries of this project for each path of their sources. */
export function sourceCounts(memory: Memory): Map<string, number> {
  const { entries } = memory.knowledge.list(storeFilterFor(memory, { scope: "project", valid: true }))
  const counts = new Map<string, number>()
  for (const { source } of entries) {
    if (source === null) continue
    counts.set(source.path, (counts.get(source.path) ?? 0) + 1)
  }
  return counts
}
