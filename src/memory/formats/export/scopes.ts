import { compareTexts } from "../../../base/compare-texts.ts"
import type { Change, KnowledgeEvent } from "../../log/event.ts"

/** The current project of each subject; null: all projects. Purged subjects are absent. */
export type Scopes = ReadonlyMap<string, string | null>

/**
 * The current project of each subject, folded from the events. A relation belongs to the project of its first entity.
 */
export function projectBySubject(events: readonly KnowledgeEvent[]): Scopes {
  const scopes = new Map<string, string | null>()
  const starts = new Map<string, string>()
  for (const { subject, change } of foldOrder(events)) {
    if (change.type === "relation") starts.set(subject, change.from)
    const project = projectIn(change)
    if (project !== undefined) scopes.set(subject, project)
  }
  for (const [relation, from] of starts) {
    const scope = scopes.get(from)
    if (scope !== undefined) scopes.set(relation, scope)
  }
  for (const { subject, change } of events) if (change.type === "purged") scopes.delete(subject)
  return scopes
}

/** The project that the event sets; undefined when it sets none. */
function projectIn(change: Change): string | null | undefined {
  const project = "fields" in change ? change.fields.project : undefined
  return project === undefined && change.type === "stored" ? null : project
}

/** The events in the order in which they are folded, which does not depend on the order of arrival. */
export function foldOrder(events: readonly KnowledgeEvent[]): KnowledgeEvent[] {
  return [...events].sort((a, b) => compareTexts(a.at, b.at) || compareTexts(a.id, b.id))
}
