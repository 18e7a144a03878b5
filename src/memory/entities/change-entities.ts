/*
 * Changes to entities and relations: create, delete, merge, remove relations. Each function reads the current
 * entities inside the caller's transaction, checks the change, and writes one event for each changed subject.
 */

import { AmanError, compareTexts } from "../../base/index.ts"
import type { KnowledgeStore } from "../../store/index.ts"
import { refuseCredential } from "../../text/index.ts"
import { type CheckOptions, publicJson, publicLabel, withoutPrivate } from "../entries/check-entry.ts"
import type { NewRelation } from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"
import type { EntityFields } from "../log/event.ts"
import { stableId } from "../log/ids.ts"
import type { Writer } from "../log/writer.ts"
import {
  type Entity,
  type GraphEntity,
  type KnownEntities,
  mergeTarget,
  type Relation,
  settledEntities,
} from "./entities.ts"
import { findEntity } from "./graph-questions.ts"

/** The fields of an entity that can be set; its scope never changes. */
type EntityChanges = Partial<Omit<EntityFields, "project">>

/**
 * Creates an entity or extends the one with that name in the same scope. A project never changes an entity
 * that belongs to all projects. Returns its id.
 */
export function makeEntity(
  writer: Writer,
  project: string | null,
  given: EntityChanges & { readonly name: string },
  options: CheckOptions = {},
): string {
  const changes = checked(given, options)
  const name = changes.name!
  const id = survivingEntityId(writer.store, project, name)
  const nothing = { type: "", description: "", aliases: [], metadata: {} }
  writer.write(id, { type: "entity", fields: { ...nothing, ...changes, project, name } })
  return id
}

/** Deletes an entity and its relations; returns the number of relations. Entries that mention it stay. */
export function deleteEntity(writer: Writer, project: string | null, wanted: string): number {
  const known = readEntities(writer.store)
  const number = findEntity(known, wanted, project)
  const relations = known.edges[number]!.map(({ relation }) => relation)
  for (const id of relations.flatMap(({ ids }) => ids)) writer.write(id, { type: "relation-deleted" })
  for (const id of known.entities[number]!.ids) writer.write(id, { type: "entity-deleted" })
  return relations.length
}

/** Merges the first entity into the second, which gets its names, relations and mentions. */
export function mergeEntities(
  writer: Writer,
  project: string | null,
  from: string,
  into: string,
): GraphEntity {
  const known = readEntities(writer.store)
  const [one, other] = [entityOf(known, from, project), entityOf(known, into, project)]
  if (one === other) throw new AmanError("USAGE", `${from} and ${into} are the same entity`)
  if (other.project !== null && one.project !== other.project) {
    throw new AmanError("USAGE", `${one.name} is global, and ${other.name} belongs to one project`, {
      hint: `merge ${other.name} into ${one.name}`,
    })
  }
  for (const id of one.ids) writer.write(id, { type: "entity-merged", into: other.id })
  return entityOf(readEntities(writer.store), other.id, project)
}

/** Deletes the relations of one type from one entity to another; returns their number. */
export function unrelate(writer: Writer, project: string | null, { from, to, type }: NewRelation): number {
  const known = readEntities(writer.store)
  const [one, other] = [entityOf(known, from, project), entityOf(known, to, project)]
  const relations = known.relations.filter(
    (relation) =>
      relation.from === one.id &&
      relation.to === other.id &&
      comparable(relation.relation) === comparable(type),
  )
  if (relations.length === 0) {
    throw new AmanError("NOT_FOUND", `no ${type} from ${one.name} to ${other.name}`, {
      hint: `run: aman memory related ${JSON.stringify(one.name)}`,
    })
  }
  for (const id of relations.flatMap(({ ids }) => ids)) writer.write(id, { type: "relation-deleted" })
  return relations.length
}

/**
 * Erases the entities and relations that came with entries that were purged. `names`: the entities that they named;
 * `recorded`: ids of entities and relations that were recorded with them. An entity stays if an entry mentions it, or if it
 * has a description or another relation.
 */
export function purgeEntities(
  writer: Writer,
  names: ReadonlySet<string>,
  recorded: ReadonlySet<string>,
): void {
  const { store } = writer
  const relations = rowsOf<Relation>(store.relations)
  const others = relations.filter(({ id, deletedAt }) => deletedAt === null && !recorded.has(id))
  const related = new Set(others.flatMap(({ from, to }) => [from, to]))
  const isMentioned = mentionedIn(store.entries.after(0).map((body) => Object.values(JSON.parse(body))))
  const erased = new Set(
    rowsOf<Entity>(store.entities)
      .filter(({ id, deletedAt, description, name, aliases }) => {
        const isNamed = recorded.has(id) || [name, ...aliases].some((one) => names.has(comparable(one)))
        return isNamed && (deletedAt !== null || (description === "" && !related.has(id)))
      })
      .filter(({ name }) => !isMentioned(name))
      .map(({ id }) => id),
  )
  const isErased = ({ id, from, to }: Relation) => recorded.has(id) || erased.has(from) || erased.has(to)
  for (const id of [...erased, ...relations.filter(isErased).map((one) => one.id)]) {
    writer.write(id, { type: "purged" })
    store.events.purge(id)
  }
}

/** Returns a function that is true for a name that the values contain as words of their own. */
export function mentionedIn(values: readonly unknown[]): (name: string | undefined) => boolean {
  const plain = (value: unknown) => JSON.stringify(value).replace(/\\./g, " ")
  const said = plain(values)
  // Some scripts without cases have no spaces between words.
  const letter = "[\\p{Ll}\\p{Lu}\\p{N}]"
  const pattern = (name: string) => `(?<!${letter})${RegExp.escape(plain(name).slice(1, -1))}(?!${letter})`
  return (name) => name !== undefined && new RegExp(pattern(name), "iu").test(said)
}

function entityOf(known: KnownEntities, wanted: string, project: string | null): GraphEntity {
  return known.entities[findEntity(known, wanted, project)]!
}

/** The changes in the form in which they will be stored. Only text that would be stored is checked for credentials. */
function checked(given: EntityChanges, { force = false }: CheckOptions): EntityChanges {
  const { name, type, aliases, description, metadata } = given
  const kept = {
    ...(name !== undefined && { name: publicLabel(name) }),
    ...(type !== undefined && { type: publicLabel(type) }),
    ...(description !== undefined && { description: withoutPrivate(description) }),
    ...(aliases !== undefined && { aliases: aliases.map(publicLabel).filter(Boolean) }),
    ...(metadata !== undefined && { metadata: publicJson(metadata) as EntityFields["metadata"] }),
  }
  if (kept.name !== undefined && comparable(kept.name) === "") {
    throw new AmanError("USAGE", "an entity needs a name", { hint: "give its name" })
  }
  const aliasText = kept.aliases ?? []
  const said = [kept.name, kept.type, ...aliasText, kept.description, JSON.stringify(kept.metadata)]
  const text = said.filter((part) => part !== undefined).join("\n")
  if (!force) refuseCredential(text, undefined, "the entity")
  return kept
}

/** The current entities, for a caller that changes them inside a transaction. */
function readEntities({ entities, relations }: KnowledgeStore): KnownEntities {
  return settledEntities(rowsOf<Entity>(entities), rowsOf<Relation>(relations))
}

function rowsOf<Row>(table: { readonly after: (seq: number) => string[] }): Row[] {
  return table.after(0).map((body) => JSON.parse(body))
}

/**
 * The id of an entity; derived from its content, so that two stores that create the same entity or relation
 * separately agree when they are merged.
 */
export function entityId(project: string | null, name: string): string {
  return stableId("entity", project, comparable(name))
}

export function relationId(from: string, to: string, type: string): string {
  return stableId("relation", from, to, comparable(type))
}

/**
 * The entity with that name that is not deleted; null when there is none. An entity of the project is preferred to one
 * that belongs to all projects, and one with this name to one with this alias.
 */
export function entityNamed(store: KnowledgeStore, project: string | null, name: string): Entity | null {
  const wanted = comparable(name)
  const rank = (entity: Entity): number =>
    (entity.project === project ? 0 : 2) + (comparable(entity.name) === wanted ? 0 : 1)
  const found = store.entities
    .named(wanted)
    .map((body) => survivor(store, body))
    .filter(({ deletedAt }) => deletedAt === null)
    .filter((entity) => entity.project === project || entity.project === null)
  return found.sort((a, b) => rank(a) - rank(b) || compareTexts(a.id, b.id))[0] ?? null
}

/** The entity into which this one was finally merged, or itself. */
function survivor(store: KnowledgeStore, body: string): Entity {
  return mergeTarget(JSON.parse(body), (id) => {
    const into = store.entities.get(id)
    return into === null ? undefined : JSON.parse(into)
  })
}

/** Creates the entities that do not exist. */
export function writeEntities(
  writer: Writer,
  project: string | null,
  names: readonly string[],
  at: string = writer.now,
): void {
  for (const name of names) writeEntity(writer, project, { name }, at)
}

/** Returns the id of the entity with that name, which is created if needed. Further fields are added to it. */
export function writeEntity(
  writer: Writer,
  project: string | null,
  given: Partial<EntityFields> & { readonly name: string },
  at: string = writer.now,
): string {
  const known = entityNamed(writer.store, project, given.name)
  if (known !== null && Object.keys(given).length === 1) return known.id
  const id = known?.id ?? survivingEntityId(writer.store, project, given.name)
  const fields: EntityFields = { project, type: "", description: "", aliases: [], metadata: {}, ...given }
  writer.write(id, { type: "entity", fields }, at)
  return id
}

/** The id of the entity with that name in exactly this scope, deleted or not, after merges; a new id when there is none. */
function survivingEntityId(store: KnowledgeStore, project: string | null, name: string): string {
  const known = entityNamed(store, project, name)
  if (known !== null && known.project === project) return known.id
  const id = unpurged(store, entityId(project, name))
  const body = store.entities.get(id)
  return body === null ? id : survivor(store, body).id
}

/** Creates a relation between two entities given by name, or changes its weight. Returns its id. */
export function relate(
  writer: Writer,
  project: string | null,
  { from, to, type, weight = 1 }: NewRelation,
  at: string = writer.now,
): string {
  const ends = [from, to].map((name) => writeEntity(writer, project, { name }, at)) as [string, string]
  const id = unpurged(writer.store, relationId(ends[0], ends[1], type))
  const body = writer.store.relations.get(id)
  const known: Relation | null = body === null ? null : JSON.parse(body)
  if (known?.deletedAt === null && known.weight === weight) return id
  writer.write(id, { type: "relation", from: ends[0], to: ends[1], relation: type, weight }, at)
  return id
}

/** The id, or another one if what had it was purged: nothing is ever stored under that id again. */
function unpurged(store: KnowledgeStore, id: string): string {
  return store.events.isPurged(id) ? unpurged(store, stableId("again", id)) : id
}
