import type { Change, KnowledgeEvent } from "../../log/event.ts"

/** Of each subject the project it belongs to now, null for all projects; a purged one belongs nowhere any more. */
export type Scopes = ReadonlyMap<string, string | null>

/** What the fold says of projects, without folding the rest. A relation belongs where what it starts from does. */
export function scopesOf(events: readonly KnowledgeEvent[]): Scopes {
  const scopes = new Map<string, string | null>()
  const starts = new Map<string, string>()
  for (const { subject, change } of inOrder(events)) {
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

/** Undefined where the event says nothing of it. */
function projectIn(change: Change): string | null | undefined {
  const project = "fields" in change ? change.fields.project : undefined
  return project === undefined && change.type === "stored" ? null : project
}

/** The order in which events are folded: the same whatever the order of their arrival. */
export function inOrder(events: readonly KnowledgeEvent[]): KnowledgeEvent[] {
  return [...events].sort((a, b) => compare(a.at, b.at) || compare(a.id, b.id))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
