import { compareTexts } from "../../base/index.ts"
import { comparable, tidyLabel } from "../entries/labels.ts"
import type { EntityFields } from "../log/event.ts"

type SettledEntities = {
  /** Sorted by id. */
  readonly entities: readonly GraphEntity[]
  /** The current entity by the id of every entity that was created and not deleted. */
  readonly byId: ReadonlyMap<string, GraphEntity>
}

/**
 * Combines entities that were merged, or that have the same name in the same scope (as after a renaming in
 * two stores). The result depends only on the rows, not on their order.
 */
export function settleEntities(rows: Iterable<Entity>): SettledEntities {
  const all = [...rows].sort(byId)
  const known = new Map(all.map((entity) => [entity.id, entity]))
  const groups = new Map<string, Group>()
  for (const entity of all) {
    const head = mergeTarget(entity, (id) => known.get(id))
    if (head.deletedAt !== null) continue
    const key = scopedKey(head.project, head.name)
    const group = groups.get(key) ?? { head, members: [] }
    group.members.push(entity)
    // Of two entities with the same name, the one with the smaller id is kept.
    if (head.id < group.head.id) group.head = head
    groups.set(key, group)
  }
  const settled = [...groups.values()].map(united).sort(byId)
  return { entities: settled, byId: new Map(settled.flatMap((one) => one.ids.map((id) => [id, one]))) }
}

type Group = { head: Entity; readonly members: Entity[] }

/** Key of a name in its scope: a project, or null for none. Names are unique per scope. */
function scopedKey(project: string | null, name: string): string {
  return `${project ?? ""}\n${comparable(name)}`
}

/**
 * The entity at the end of a chain of merges; if entities were merged in a cycle, the one with the smallest id. `get`
 * returns an entity by its id.
 */
export function mergeTarget(entity: Entity, get: (id: string) => Entity | undefined): Entity {
  const way = [entity]
  for (;;) {
    const last = way.at(-1)!
    const next = last.mergedInto === null ? undefined : get(last.mergedInto)
    // An entity that was merged into one which this store does not have counts as not merged.
    if (next === undefined) return last
    const start = way.findIndex(({ id }) => id === next.id)
    if (start >= 0) return way.slice(start).sort(byId)[0]!
    way.push(next)
  }
}

function united({ head, members }: Group): GraphEntity {
  const others = members.filter((member) => member !== head)
  const { id, project, name, metadata } = head
  return {
    id,
    ids: members.map((member) => member.id),
    ...{ project, name, metadata, aliases: otherNames(head, others) },
    type: head.type || (others.find((other) => other.type !== "")?.type ?? ""),
    description: head.description || (others.find((other) => other.description !== "")?.description ?? ""),
  }
}

function otherNames(head: Entity, others: readonly Entity[]): string[] {
  const aliases = new Map<string, string>()
  for (const name of [...head.aliases, ...others.flatMap((other) => [other.name, ...other.aliases])]) {
    const key = comparable(name)
    if (key !== "" && key !== comparable(head.name) && !aliases.has(key)) aliases.set(key, tidyLabel(name))
  }
  return [...aliases.values()]
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return compareTexts(one.id, other.id)
}

/** An entity after merges and deletions are applied. */
export type GraphEntity = EntityFields & {
  readonly id: string
  /** Ids of all entities merged into it, including its own; sorted. */
  readonly ids: readonly string[]
}

/** A relation between two different existing entities. */
export type GraphRelation = {
  /** Ids of entities. */
  readonly from: string
  readonly to: string
  readonly relation: string
  /** 0 to 1: the largest weight of the relations combined in it. */
  readonly weight: number
  /** Ids of the combined relations, sorted. */
  readonly ids: readonly string[]
}

/** A thing that entries mention, in its current form. */
export type Entity = EntityFields & {
  readonly id: string
  readonly recordedAt: string
  readonly revisedAt: string
  /** Id of the entity into which this one was merged; null when it was not merged. */
  readonly mergedInto: string | null
  readonly deletedAt: string | null
}

/** A relation between two entities. */
export type Relation = {
  readonly id: string
  /** Ids of entities. */
  readonly from: string
  readonly to: string
  readonly relation: string
  /** Strength of the relation, 0 to 1. */
  readonly weight: number
  readonly recordedAt: string
  readonly revisedAt: string
  readonly deletedAt: string | null
}

/** Stored entities and relations, and the merged view of them. */
export class EntityIndex {
  readonly #entities = new Map<string, Entity>()
  readonly #relations = new Map<string, Relation>()
  #known: KnownEntities | null = null

  put(entities: Iterable<Entity>, relations: Iterable<Relation>): void {
    for (const row of entities) {
      this.#entities.set(row.id, row)
      this.#known = null
    }
    for (const row of relations) {
      this.#relations.set(row.id, row)
      this.#known = null
    }
  }

  remove(id: string): void {
    if (this.#entities.delete(id) || this.#relations.delete(id)) this.#known = null
  }

  /** The current entities and relations; the same object until one of them changes. */
  known(): KnownEntities {
    this.#known ??= settledEntities(this.#entities.values(), this.#relations.values())
    return this.#known
  }
}

export function settledEntities(rows: Iterable<Entity>, relationRows: Iterable<Relation>): KnownEntities {
  const settled = settleEntities(rows)
  const { entities } = settled
  const relations = settleRelations(relationRows, settled)
  const numbers = new Map(entities.flatMap(({ ids }, number) => ids.map((id) => [id, number])))
  const edges = edgesOf(entities.length, relations, numbers)
  return { entities, relations, names: new EntityNames(entities), numbers, edges }
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
    // Events of another store can contain any weight.
    const weight = Number.isNaN(row.weight) ? 1 : Math.min(1, Math.max(0, row.weight))
    kept.set(key, {
      ...{ from, to, relation: parallel?.relation ?? row.relation },
      weight: Math.max(parallel?.weight ?? 0, weight),
      ids: [...(parallel?.ids ?? []), row.id],
    })
  }
  return [...kept.values()]
}

/** An edge seen from one of its ends; `other` is the number of the other end. */
export type Edge = { readonly relation: GraphRelation; readonly other: number; readonly isOutgoing: boolean }

export type KnownEntities = {
  /** An entity's number is its index here. */
  readonly entities: readonly GraphEntity[]
  readonly relations: readonly GraphRelation[]
  readonly names: EntityNames
  /** Numbers by every id that an entity has, or had before a merge. */
  readonly numbers: ReadonlyMap<string, number>
  readonly edges: readonly (readonly Edge[])[]
}

/** Entities, their relations and the entries that mention them, at one moment. */
export type KnowledgeGraph = KnownEntities & {
  /** Ids of the entries that mention an entity; an entry's number is its index here. */
  readonly entries: readonly string[]
  /** The entries that mention an entity, sorted; indexed by the entity's number. */
  readonly mentionedBy: readonly (readonly number[])[]
}

function edgesOf(count: number, relations: readonly GraphRelation[], numbers: ReadonlyMap<string, number>) {
  const edges: Edge[][] = Array.from({ length: count }, () => [])
  for (const relation of relations) {
    const [from, to] = [numbers.get(relation.from)!, numbers.get(relation.to)!]
    edges[from]!.push({ relation, other: to, isOutgoing: true })
    edges[to]!.push({ relation, other: from, isOutgoing: false })
  }
  return edges
}

/** Resolves names to entities: a project's own entity takes precedence over one without a project, a name over an alias. */
export class EntityNames {
  readonly #named = new Map<string, GraphEntity>()
  readonly #aliased = new Map<string, GraphEntity>()
  /** All scopes and spellings of a name, by its normalised form. */
  readonly #spellings = new Map<string, string[]>()
  readonly #found = new Map<string | null, Map<string, GraphEntity | null>>()

  constructor(entities: Iterable<GraphEntity>) {
    for (const entity of entities) this.#add(entity)
  }

  #add(entity: GraphEntity): void {
    const { project, name, aliases } = entity
    this.#named.set(scopedKey(project, name), entity)
    for (const alias of aliases) {
      const key = scopedKey(project, alias)
      // Entities come sorted by id: if two have the same alias, the first one gets it.
      if (!this.#aliased.has(key)) this.#aliased.set(key, entity)
    }
    for (const written of [name, ...aliases]) this.#spell(project, written)
  }

  find(name: string, project: string | null): GraphEntity | null {
    return this.findKey(comparable(name), project)
  }

  /** The entity for a normalised name; cached, because the same names are looked up for every text. */
  findKey(key: string, project: string | null): GraphEntity | null {
    const known = this.#found.get(project) ?? new Map<string, GraphEntity | null>()
    this.#found.set(project, known)
    const found = known.get(key)
    if (found !== undefined) return found
    const entity = this.#look(key, project)
    known.set(key, entity)
    return entity
  }

  keys(): Iterable<string> {
    return this.#spellings.keys()
  }

  /** The spellings of a name, without scopes. */
  spellings(key: string): string[] {
    const scoped = this.#spellings.get(key) ?? []
    return [...new Set(scoped.map((one) => one.slice(one.indexOf("\n") + 1)))]
  }

  /** A string of the scopes and spellings of a name. While it is unchanged, no text's mentions of the name change. */
  signature(key: string): string {
    const scoped = this.#spellings.get(key) ?? []
    return scoped.length === 1 ? scoped[0]! : scoped.toSorted().join("\t")
  }

  #look(key: string, project: string | null): GraphEntity | null {
    const own = project === null ? null : this.#inScope(`${project}\n${key}`)
    return own ?? this.#inScope(`\n${key}`)
  }

  #inScope(scoped: string): GraphEntity | null {
    return this.#named.get(scoped) ?? this.#aliased.get(scoped) ?? null
  }

  #spell(project: string | null, name: string): void {
    const key = comparable(name)
    const written = `${project ?? ""}\n${tidyLabel(name)}`
    const known = this.#spellings.get(key)
    if (known === undefined) this.#spellings.set(key, [written])
    else if (!known.includes(written)) known.push(written)
  }
}
