import type { Entity } from "../entity.ts"
import { comparable, tidyLabel } from "../labels.ts"
import type { GraphEntity } from "./settled-graph.ts"

export type SettledEntities = {
  /** Sorted by id. */
  readonly entities: readonly GraphEntity[]
  /** By the id of every entity that was made and is not gone: the one it is part of now. */
  readonly byId: ReadonlyMap<string, GraphEntity>
}

/**
 * Makes one of what was merged, and of what bears the same name in the same scope, as after a renaming in two stores.
 * Depends on nothing but the rows, in any order.
 */
export function settleEntities(rows: Iterable<Entity>): SettledEntities {
  const all = [...rows].sort(byId)
  const known = new Map(all.map((entity) => [entity.id, entity]))
  const groups = new Map<string, Group>()
  for (const entity of all) {
    const head = headOf(entity, known)
    if (head.deletedAt !== null) continue
    const key = scopedKey(head.project, head.name)
    const group = groups.get(key) ?? { head, members: [] }
    group.members.push(entity)
    // Of two of one name, the smaller id.
    if (head.id < group.head.id) group.head = head
    groups.set(key, group)
  }
  const settled = [...groups.values()].map(united).sort(byId)
  return { entities: settled, byId: new Map(settled.flatMap((one) => one.ids.map((id) => [id, one]))) }
}

type Group = { head: Entity; readonly members: Entity[] }

/** Names are unique in a scope: a project, or what belongs to none. */
export function scopedKey(project: string | null, name: string): string {
  return `${project ?? ""}\n${comparable(name)}`
}

/** Follows merges to their end; of entities merged into each other in a ring, the smallest id. */
function headOf(entity: Entity, known: ReadonlyMap<string, Entity>): Entity {
  const way = [entity]
  for (;;) {
    const last = way.at(-1)!
    const next = last.mergedInto === null ? undefined : known.get(last.mergedInto)
    // Into one that never came: it stays what it is.
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
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0
}
