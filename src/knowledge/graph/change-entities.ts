import { AmanError } from "../../base/errors.ts"
import { type Checking, publicJson, publicLabel } from "../check-entry.ts"
import { refuseCredential } from "../credentials.ts"
import type { EntityFields } from "../event.ts"
import { comparable } from "../labels.ts"
import { withoutPrivate } from "../private-text.ts"
import { standingId } from "../write-graph.ts"
import type { Writer } from "../writer.ts"
import { findEntity } from "./find-entity.ts"
import type { KnownEntities } from "./knowledge-graph.ts"
import { readEntities } from "./read-entities.ts"
import type { GraphEntity } from "./settled-graph.ts"

/** What may be said of an entity; its scope stays what it is. */
export type EntityChanges = Partial<Omit<EntityFields, "project">>

/**
 * Makes an entity, or adds to the one of that name in the same scope; one of all projects is not touched by a project.
 */
export function makeEntity(
  writer: Writer,
  project: string | null,
  given: EntityChanges & { readonly name: string },
  options: Checking = {},
): string {
  const changes = checked(given, options)
  const name = changes.name!
  const id = standingId(writer.store, project, name)
  const nothing = { type: "", description: "", aliases: [], metadata: {} }
  writer.write(id, {
    type: "entity",
    fields: { ...nothing, ...changes, project, name },
  })
  return id
}

/** Names are of what one sees from `project`. Renamed, it is still found by its former name. */
export function reviseEntity(
  writer: Writer,
  project: string | null,
  wanted: string,
  given: EntityChanges,
  options: Checking = {},
): GraphEntity {
  const known = readEntities(writer.store)
  const entity = entityOf(known, wanted, project)
  const changes = checked(given, options)
  const name = changes.name ?? entity.name
  refuseTaken(known, entity, name)
  const aliases = changes.aliases ?? entity.aliases
  const former = comparable(name) === comparable(entity.name) ? [] : [entity.name]
  // Those of the same name stay one with it under another.
  for (const id of entity.ids)
    if (id !== entity.id) writer.write(id, { type: "entity-merged", into: entity.id })
  writer.write(entity.id, {
    type: "entity-revised",
    fields: { ...changes, aliases: [...aliases, ...former] },
  })
  return entityOf(readEntities(writer.store), entity.id, project)
}

/** With its relations; how many those were. Entries that speak of it stay as they are. */
export function deleteEntity(writer: Writer, project: string | null, wanted: string): number {
  const known = readEntities(writer.store)
  const number = findEntity(known, wanted, project)
  const relations = known.edges[number]!.map(({ relation }) => relation)
  for (const id of relations.flatMap(({ ids }) => ids)) writer.write(id, { type: "relation-deleted" })
  for (const id of known.entities[number]!.ids) writer.write(id, { type: "entity-deleted" })
  return relations.length
}

/** The first becomes part of the second: its names, relations and the entries that speak of it are the second's. */
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
    throw new AmanError("USAGE", `${one.name} is known beyond the project of ${other.name}`, {
      hint: `merge ${other.name} into ${one.name}`,
    })
  }
  for (const id of one.ids) writer.write(id, { type: "entity-merged", into: other.id })
  return entityOf(readEntities(writer.store), other.id, project)
}

/** Takes back relations from one entity to another, of one type or of all; how many they were. */
export function unrelate(
  writer: Writer,
  project: string | null,
  { from, to, type }: { readonly from: string; readonly to: string; readonly type?: string },
): number {
  const known = readEntities(writer.store)
  const [one, other] = [entityOf(known, from, project), entityOf(known, to, project)]
  const relations = known.relations.filter(
    (relation) =>
      relation.from === one.id &&
      relation.to === other.id &&
      (type === undefined || comparable(relation.relation) === comparable(type)),
  )
  if (relations.length === 0) {
    const what = type === undefined ? "nothing" : `no ${type}`
    throw new AmanError("NOT_FOUND", `${what} from ${one.name} to ${other.name}`, {
      hint: `run: aman memory related ${JSON.stringify(one.name)}`,
    })
  }
  for (const id of relations.flatMap(({ ids }) => ids)) writer.write(id, { type: "relation-deleted" })
  return relations.length
}

function entityOf(known: KnownEntities, wanted: string, project: string | null): GraphEntity {
  return known.entities[findEntity(known, wanted, project)]!
}

/** As it will be stored; what looks like a credential is refused only where it would be. */
function checked(given: EntityChanges, { force = false }: Checking): EntityChanges {
  const { name, type, aliases, description, metadata } = given
  const kept = {
    ...(name === undefined ? {} : { name: publicLabel(name) }),
    ...(type === undefined ? {} : { type: publicLabel(type) }),
    ...(description === undefined ? {} : { description: withoutPrivate(description) }),
    ...(aliases === undefined ? {} : { aliases: aliases.map(publicLabel).filter(Boolean) }),
    ...(metadata === undefined ? {} : { metadata: publicJson(metadata) as EntityFields["metadata"] }),
  }
  if (kept.name !== undefined && comparable(kept.name) === "") {
    throw new AmanError("USAGE", "an entity needs a name", { hint: "say what it is called" })
  }
  const said = [
    kept.name,
    kept.type,
    ...(kept.aliases ?? []),
    kept.description,
    JSON.stringify(kept.metadata),
  ]
  const text = said.filter((part) => part !== undefined).join("\n")
  if (!force) refuseCredential(text, undefined, "the entity")
  return kept
}

function refuseTaken({ entities }: KnownEntities, entity: GraphEntity, name: string): void {
  const isTaken = entities.some(
    (other) =>
      other !== entity && other.project === entity.project && comparable(other.name) === comparable(name),
  )
  if (!isTaken) return
  throw new AmanError("USAGE", `there is another ${name}`, { hint: `merge ${entity.name} into it` })
}
