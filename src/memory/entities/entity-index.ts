import { compareTexts } from "../../base/compare-texts.ts"
import { comparable } from "../entries/labels.ts"
import type { Entity, Relation } from "./entity.ts"
import { type KnownEntities, knownEntities } from "./graph/knowledge-graph.ts"
import { EntityNames } from "./names/entity-names.ts"
import type { GraphRelation } from "./settle-entities.ts"
import { type SettledEntities, settleEntities } from "./settle-entities.ts"

/** Stored entities and relations, and the merged view of them. */
export class EntityIndex {
  readonly #entities = new Map<string, Entity>()
  readonly #relations = new Map<string, Relation>()
  #known: KnownEntities | null = null

  putEntity(row: Entity): void {
    this.#entities.set(row.id, row)
    this.#known = null
  }

  putRelation(row: Relation): void {
    this.#relations.set(row.id, row)
    this.#known = null
  }

  remove(id: string): void {
    if (this.#entities.delete(id) || this.#relations.delete(id)) this.#known = null
  }

  /** The current entities and relations; the same object until one of them changes. */
  known(): KnownEntities {
    this.#known ??= settledEntities(this.#entities.values(), this.#relations.values())
    return this.#known
  }

  /** A name of these entities and relations: a hash of all of them. */
  contentName(): string {
    const rows = [...this.#entities.values(), ...this.#relations.values()]
    const texts = rows.map((row) => JSON.stringify(row)).sort()
    return Bun.hash(texts.join("\n")).toString(36)
  }
}

export function settledEntities(entities: Iterable<Entity>, relations: Iterable<Relation>): KnownEntities {
  const settled = settleEntities(entities)
  return knownEntities(
    settled.entities,
    settleRelations(relations, settled),
    new EntityNames(settled.entities),
  )
}

/**
 * Relations between the merged entities, sorted by id. A relation is dropped if one of its entities does not exist or
 * both are the same. Relations of the same type between the same two entities are combined to one, with the largest
 * weight.
 */
export function settleRelations(rows: Iterable<Relation>, { byId }: SettledEntities): GraphRelation[] {
  const kept = new Map<string, GraphRelation>()
  for (const row of [...rows].sort((one, other) => compareTexts(one.id, other.id))) {
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

/** Clamps a weight to 0 to 1, because events of another store can contain any value. NaN becomes 1. */
function clampWeight(weight: number): number {
  return Number.isNaN(weight) ? 1 : Math.min(1, Math.max(0, weight))
}
