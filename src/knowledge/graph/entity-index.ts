import { EntityNames } from "./entity-names.ts"
import { impliedEntities, type Mention } from "./implied-entities.ts"
import { type KnownEntities, knownEntities } from "./knowledge-graph.ts"
import { settleEntities } from "./settle-entities.ts"
import { settleRelations } from "./settle-relations.ts"
import type { Entity, FoldedEntity, FoldedRelation, Relation } from "./settled-graph.ts"

type Made = {
  readonly entities: readonly Entity[]
  readonly relations: readonly Relation[]
  readonly names: EntityNames
}

/** Rows of entities and relations, and what entries mention expressly; from them the entities that there are. */
export class EntityIndex {
  readonly #entities = new Map<string, FoldedEntity>()
  readonly #relations = new Map<string, FoldedRelation>()
  readonly #mentions = new Map<string, readonly Mention[]>()
  /** What the rows come to; null when they changed. */
  #made: Made | null = null
  #haveMentionsChanged = false
  #known: KnownEntities = knownEntities([], [], new EntityNames([]))

  putEntity(row: FoldedEntity): void {
    this.#entities.set(row.id, row)
    this.#made = null
  }

  putRelation(row: FoldedRelation): void {
    this.#relations.set(row.id, row)
    this.#made = null
  }

  remove(id: string): void {
    if (this.#entities.delete(id) || this.#relations.delete(id)) this.#made = null
  }

  mention(entry: string, project: string | null, names: readonly string[]): void {
    if (names.length > 0)
      this.#mentions.set(
        entry,
        names.map((name) => ({ entry, project, name })),
      )
    else if (!this.#mentions.delete(entry)) return
    this.#haveMentionsChanged = true
  }

  /** The same object as long as nothing of it changed. */
  known(): KnownEntities {
    if (this.#made !== null && !this.#haveMentionsChanged) return this.#known
    const isMadeSame = this.#made !== null
    const made = this.#made ?? settle(this.#entities.values(), this.#relations.values())
    const implied = impliedEntities([...this.#mentions.values()].flat(), made.names)
    this.#made = made
    this.#haveMentionsChanged = false
    if (!(isMadeSame && areSame(implied, this.#known.entities.slice(made.entities.length)))) {
      const entities = [...made.entities, ...implied]
      this.#known = knownEntities(entities, made.relations, new EntityNames(entities))
    }
    return this.#known
  }
}

function settle(entityRows: Iterable<FoldedEntity>, relationRows: Iterable<FoldedRelation>): Made {
  const settled = settleEntities(entityRows)
  const { entities } = settled
  return { entities, relations: settleRelations(relationRows, settled), names: new EntityNames(entities) }
}

function areSame(some: readonly Entity[], others: readonly Entity[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ id, name }, i) => id === others[i]!.id && name === others[i]!.name)
  )
}
