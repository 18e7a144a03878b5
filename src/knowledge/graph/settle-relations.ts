import { nameKey } from "./name-key.ts"
import type { SettledEntities } from "./settle-entities.ts"
import type { FoldedRelation, Relation } from "./settled-graph.ts"

/**
 * Relations between what their ends have become: those without an end or with one end twice are gone, those of the same
 * kind between the same two are one, with the largest weight. Sorted by id.
 */
export function settleRelations(folded: Iterable<FoldedRelation>, { byId }: SettledEntities): Relation[] {
  const kept = new Map<string, Relation>()
  for (const row of [...folded].sort((one, other) => (one.id < other.id ? -1 : 1))) {
    const from = byId.get(row.from)?.id
    const to = byId.get(row.to)?.id
    if (row.deletedAt !== null || from === undefined || to === undefined || from === to) continue
    const key = `${from} ${to} ${nameKey(row.relation)}`
    const parallel = kept.get(key)
    kept.set(key, {
      ...{ from, to, relation: parallel?.relation ?? row.relation },
      weight: Math.max(parallel?.weight ?? 0, clampWeight(row.weight)),
      ids: [...(parallel?.ids ?? []), row.id],
    })
  }
  return [...kept.values()]
}

/** Into 0 to 1; what is no number weighs all. */
export function clampWeight(weight: number): number {
  return Number.isNaN(weight) ? 1 : Math.min(1, Math.max(0, weight))
}
