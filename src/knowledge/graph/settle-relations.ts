import type { Relation } from "../entity.ts"
import { comparable } from "../labels.ts"
import type { SettledEntities } from "./settle-entities.ts"
import type { GraphRelation } from "./settled-graph.ts"

/**
 * Relations between what their ends have become: those without an end or with one end twice are gone, those of the same
 * type between the same two are one, with the largest weight. In the order of their ids.
 */
export function settleRelations(rows: Iterable<Relation>, { byId }: SettledEntities): GraphRelation[] {
  const kept = new Map<string, GraphRelation>()
  for (const row of [...rows].sort((one, other) => (one.id < other.id ? -1 : 1))) {
    const from = byId.get(row.from)?.id
    const to = byId.get(row.to)?.id
    if (row.deletedAt !== null || from === undefined || to === undefined || from === to) continue
    const key = `${from} ${to} ${comparable(row.relation)}`
    const parallel = kept.get(key)
    kept.set(key, {
      ...{ from, to, relation: parallel?.relation ?? row.relation },
      weight: Math.max(parallel?.weight ?? 0, clampWeight(row.weight)),
      ids: [...(parallel?.ids ?? []), row.id],
    })
  }
  return [...kept.values()]
}

/** Into 0 to 1: another store's event may say anything. What is no number weighs all. */
function clampWeight(weight: number): number {
  return Number.isNaN(weight) ? 1 : Math.min(1, Math.max(0, weight))
}
