import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import type { Entry } from "./entry.ts"
import type { KnowledgeEvent } from "./event.ts"
import { toEvent } from "./event-rows.ts"
import { entryForms } from "./fold-entry.ts"
import { firstMoment, parseTime } from "./times.ts"

/** Something that happened to an entry: null before it was stored, and after it was purged. */
export type EntryStep = {
  readonly event: KnowledgeEvent
  readonly before: Entry | null
  readonly after: Entry | null
}

/** What happened to entries from that date or instant on, in order of time. */
export function changesSince(store: KnowledgeStore, since: string): EntryStep[] {
  const start = firstMoment(parseTime(since, "since"))
  const subjects = new Set(store.events.since(start).map(({ subject }) => subject))
  return [...subjects]
    .flatMap((subject) => entrySteps(store, subject))
    .filter(({ event }) => event.at >= start)
    .sort((a, b) => (place(a) < place(b) ? -1 : 1))
}

/** All that happened to one entry, oldest first. */
export function entrySteps(store: KnowledgeStore, id: string): EntryStep[] {
  const events = store.events.ofSubject(id).map(toEvent)
  if (!events.some(({ change }) => change.type === "stored" || change.type === "purged")) return []
  const forms = entryForms(id, events)
  return forms.map(({ event, entry }, i) => ({ event, before: forms[i - 1]?.entry ?? null, after: entry }))
}

function place({ event }: EntryStep): string {
  return event.at + event.id
}
