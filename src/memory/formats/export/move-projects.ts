import { entityId, relationId } from "../../entities/write-graph.ts"
import type { Change, KnowledgeEvent } from "../../log/event.ts"

/**
 * The events with other project ids. An entity's id is derived from its project and name and a relation's from its
 * ends, so these ids change, too.
 */
export function moveProjects(
  events: readonly KnowledgeEvent[],
  to: (project: string | null) => string | null,
): KnowledgeEvent[] {
  const entities = movedEntities(events, to)
  const relations = movedRelations(events, entities)
  return events.map(({ id, at, subject, change }) => ({
    id,
    at,
    subject: entities.get(subject) ?? relations.get(subject) ?? subject,
    change: movedChange(change, to, entities),
  }))
}

type Ids = ReadonlyMap<string, string>

function movedEntities(
  events: readonly KnowledgeEvent[],
  to: (project: string | null) => string | null,
): Ids {
  const moved = new Map<string, string>()
  for (const { subject, change } of events) {
    if (change.type !== "entity") continue
    const { project, name } = change.fields
    if (entityId(project, name) === subject) moved.set(subject, entityId(to(project), name))
  }
  return moved
}

function movedRelations(events: readonly KnowledgeEvent[], entities: Ids): Ids {
  const moved = new Map<string, string>()
  for (const { subject, change } of events) {
    if (change.type !== "relation" || relationId(change.from, change.to, change.relation) !== subject)
      continue
    const ends = [change.from, change.to].map((end) => entities.get(end) ?? end) as [string, string]
    moved.set(subject, relationId(...ends, change.relation))
  }
  return moved
}

function movedChange(change: Change, to: (project: string | null) => string | null, entities: Ids): Change {
  switch (change.type) {
    case "stored":
    case "entity":
      return { ...change, fields: { ...change.fields, project: to(change.fields.project ?? null) } } as Change
    case "revised":
    case "entity-revised":
      return change.fields.project === undefined
        ? change
        : ({ ...change, fields: { ...change.fields, project: to(change.fields.project) } } as Change)
    case "relation":
      return {
        ...change,
        from: entities.get(change.from) ?? change.from,
        to: entities.get(change.to) ?? change.to,
      }
    case "entity-merged":
      return { ...change, into: entities.get(change.into) ?? change.into }
    default:
      return change
  }
}
