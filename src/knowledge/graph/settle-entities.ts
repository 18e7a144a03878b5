import { nameKey, tidyName } from "./name-key.ts"
import type { Entity, FoldedEntity } from "./settled-graph.ts"

export type SettledEntities = {
  /** Sorted by id. */
  readonly entities: readonly Entity[]
  /** By the id of every entity that was made and is not gone: the one it is part of now. */
  readonly byId: ReadonlyMap<string, Entity>
}

/**
 * Makes one of what was merged, and of what bears the same name in the same scope, as happens when two stores come
 * together. Depends on nothing but the rows, in any order.
 */
export function settleEntities(folded: Iterable<FoldedEntity>): SettledEntities {
  const all = [...folded].sort(byId)
  const known = new Map(all.map((entity) => [entity.id, entity]))
  const groups = new Map<string, { head: FoldedEntity; members: FoldedEntity[] }>()
  for (const entity of all.filter(({ deletedAt }) => deletedAt === null)) {
    const head = headOf(entity, known)
    if (head.deletedAt !== null) continue
    const scope = scopedKey(head.project, head.name)
    const group = groups.get(scope) ?? { head, members: [] }
    // In a name borne twice, who was first.
    groups.set(scope, {
      head: head.id < group.head.id ? head : group.head,
      members: [...group.members, entity],
    })
  }
  const settled = [...groups.values()].map(({ head, members }) => united(head, members))
  return {
    entities: settled.sort(byId),
    byId: new Map(settled.flatMap((one) => one.ids.map((id) => [id, one]))),
  }
}

/** Names are unique in a scope: a project, or what belongs to none. */
export function scopedKey(project: string | null, name: string): string {
  return `${project ?? ""}\n${nameKey(name)}`
}

/** Follows merges to their end; of entities merged into each other in a ring, the first made. */
function headOf(entity: FoldedEntity, known: ReadonlyMap<string, FoldedEntity>): FoldedEntity {
  const passed = new Set<FoldedEntity>()
  let at = entity
  while (!passed.has(at)) {
    passed.add(at)
    const next = at.mergedInto === null || at.deletedAt !== null ? undefined : known.get(at.mergedInto)
    // Into one that never came: it stays what it is.
    if (next === undefined) return at
    at = next
  }
  const ring = [at]
  for (let next = known.get(at.mergedInto!)!; next !== at; next = known.get(next.mergedInto!)!)
    ring.push(next)
  return ring.sort(byId)[0]!
}

function united(head: FoldedEntity, members: readonly FoldedEntity[]): Entity {
  const others = members.filter((member) => member !== head)
  const aliases = new Map<string, string>()
  for (const name of [...head.aliases, ...others.flatMap((other) => [other.name, ...other.aliases])]) {
    const tidy = tidyName(name)
    const key = nameKey(tidy)
    if (key !== "" && key !== nameKey(head.name) && !aliases.has(key)) aliases.set(key, tidy)
  }
  const { project, name, metadata } = head
  return {
    id: head.id,
    ids: members.map((member) => member.id).sort(),
    isImplied: false,
    ...{ project, name: tidyName(name), metadata, aliases: [...aliases.values()] },
    type: head.type || (others.find((other) => other.type !== "")?.type ?? ""),
    description: head.description || (others.find((other) => other.description !== "")?.description ?? ""),
  }
}

export function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0
}
