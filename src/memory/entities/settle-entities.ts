import { compareTexts } from "../../base/compare-texts.ts"
import { comparable, tidyLabel } from "../entries/labels.ts"
import type { EntityFields } from "../log/event.ts"
import type { Entity } from "./entity.ts"

export type SettledEntities = {
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
    const head = mergeTarget(entity, known)
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
export function scopedKey(project: string | null, name: string): string {
  return `${project ?? ""}\n${comparable(name)}`
}

/**
 * The entity at the end of a chain of merges; if entities were merged in a cycle, the one with the smallest
 * id.
 */
function mergeTarget(entity: Entity, known: ReadonlyMap<string, Entity>): Entity {
  const way = [entity]
  for (;;) {
    const last = way.at(-1)!
    const next = last.mergedInto === null ? undefined : known.get(last.mergedInto)
    // An entity that was merged into one which this store does not have counts as not merged.
    if (next === undefined) return last
    const start = way.indexOf(next)
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
