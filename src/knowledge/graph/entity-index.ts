import type { Entity, Relation } from "../entity.ts"
import { EntityNames } from "./entity-names.ts"
import { type KnownEntities, knownEntities } from "./knowledge-graph.ts"
import { settleEntities } from "./settle-entities.ts"
import { settleRelations } from "./settle-relations.ts"

/** The rows of entities and relations, and what they come to. */
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

  /** The same object as long as nothing changed. */
  known(): KnownEntities {
    this.#known ??= settledEntities(this.#entities.values(), this.#relations.values())
    return this.#known
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
