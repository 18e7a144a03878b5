import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import { derive } from "./derive.ts"
import type { KnowledgeEvent } from "./event.ts"
import { toRow } from "./event-rows.ts"

/** How many events were new; those of a purged subject stay out. Call inside a transaction. */
export function appendEvents(store: KnowledgeStore, events: readonly KnowledgeEvent[]): number {
  // First, so that what they purge does not come in with the same load.
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

function isPurge({ change }: KnowledgeEvent): boolean {
  return change.type === "purged"
}
