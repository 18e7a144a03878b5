import type { KnowledgeStore } from "../../store/memory/knowledge-store.ts"
import { derive } from "./derive.ts"
import type { KnowledgeEvent } from "./event.ts"
import { toRow } from "./event.ts"

/**
 * Adds events; returns the number of new ones. Skips events of purged subjects. Call inside a transaction.
 */
export function appendEvents(store: KnowledgeStore, events: readonly KnowledgeEvent[]): number {
  // Purges come first, so that the events they remove are not added by the same call.
  const ordered = [...events].sort((a, b) => Number(isPurge(b)) - Number(isPurge(a)))
  const touched = new Set<string>()
  let added = 0
  for (const event of ordered) {
    if (!isPurge(event) && store.events.isPurged(event.subject)) continue
    if (!store.events.add(toRow(event))) continue
    if (isPurge(event)) store.events.purge(event.subject)
    touched.add(event.subject)
    added++
  }
  derive(store, touched, store.events.lastSeq())
  return added
}

export function isPurge({ change }: KnowledgeEvent): boolean {
  return change.type === "purged"
}
