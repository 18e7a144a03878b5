import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import type { Entity, Relation } from "./entity.ts"

/** Who is who, and what they have to do with each other: only what stands, nothing that leads nowhere. */
export type GraphRows = {
  readonly entities: readonly Entity[]
  /** Of those between the same two of the same type, as after a merge, the one stated last. */
  readonly relations: readonly Relation[]
  /** Which entity a merged one has become. */
  readonly merged: ReadonlyMap<string, string>
}

export function readGraph(store: KnowledgeStore): GraphRows {
  return store.consistently(() => {
    const all = store.entities.after(0).map((body): Entity => JSON.parse(body))
    const byId = new Map(all.map((entity) => [entity.id, entity]))
    const merged = new Map(
      all.filter(({ mergedInto }) => mergedInto !== null).map(({ id }) => [id, endOfMerges(byId, id)]),
    )
    const standing = new Set(
      all
        .filter(({ id, deletedAt }) => deletedAt === null && (merged.get(id) ?? id) === id)
        .map(({ id }) => id),
    )
    const relations = store.relations
      .after(0)
      .map((body): Relation => JSON.parse(body))
      .map((one) => ({ ...one, from: merged.get(one.from) ?? one.from, to: merged.get(one.to) ?? one.to }))
      .filter(({ from, to, deletedAt }) => deletedAt === null && standing.has(from) && standing.has(to))
    return { entities: all.filter(({ id }) => standing.has(id)), relations: lastStated(relations), merged }
  })
}

/** Where merges run in a circle, as two stores may make them, the smallest id of it stands. */
export function endOfMerges(entities: ReadonlyMap<string, Entity>, id: string): string {
  const way = [id]
  for (;;) {
    const next = entities.get(way.at(-1)!)?.mergedInto ?? null
    if (next === null || !entities.has(next)) return way.at(-1)!
    const start = way.indexOf(next)
    if (start >= 0) return way.slice(start).sort()[0]!
    way.push(next)
  }
}

function lastStated(relations: readonly Relation[]): Relation[] {
  const last = new Map<string, Relation>()
  for (const one of [...relations].sort((a, b) => (a.revisedAt < b.revisedAt ? -1 : 1)))
    if (one.from !== one.to) last.set(JSON.stringify([one.from, one.to, one.relation]), one)
  return [...last.values()]
}
