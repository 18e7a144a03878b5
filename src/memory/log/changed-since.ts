import type { KnowledgeStore } from "../../store/memory/knowledge-store.ts"
import type { Entity, Relation } from "../entities/entity.ts"
import type { Entry } from "../entries/entry.ts"
import { toEntry } from "../entries/entry-rows.ts"
import { firstMoment, parseTime } from "../entries/times.ts"
import { type KnowledgeEvent, toEvent } from "./event.ts"
import { entryForms } from "./fold-entry.ts"

export type ChangedSince = {
  /** Changed entries in their current state, deleted and superseded ones included. */
  readonly entries: readonly Entry[]
  readonly entities: readonly Entity[]
  readonly relations: readonly Relation[]
  /** Ids of the entries, entities and relations that were purged. */
  readonly purged: readonly string[]
  /** Cursor to pass to the next call. */
  readonly seq: number
}

/**
 * Changes since event number `seq`, for an index to apply; 0: everything. `entriesSince`: the number for entries, where
 * an index has more of them than of entities.
 */
export function changedSince(store: KnowledgeStore, seq: number, entriesSince = seq): ChangedSince {
  return store.consistently(() => {
    const last = store.events.lastSeq()
    if (last === seq) return { entries: [], entities: [], relations: [], purged: [], seq }
    return {
      entries: entriesSince === last ? [] : store.entries.after(entriesSince).map(toEntry),
      entities: store.entities.after(seq).map((body): Entity => JSON.parse(body)),
      relations: store.relations.after(seq).map((body): Relation => JSON.parse(body)),
      purged: entriesSince === 0 ? [] : store.events.purgedAfter(entriesSince),
      seq: last,
    }
  })
}

/**
 * An event of an entry with its state before and after; null before it was stored and after it was purged.
 */
export type EntryStep = {
  readonly event: KnowledgeEvent
  readonly before: Entry | null
  readonly after: Entry | null
}

/** Events of entries from that date or instant on, oldest first. */
export function changesSince(store: KnowledgeStore, since: string): EntryStep[] {
  const start = firstMoment(parseTime(since, "since"))
  const subjects = new Set(store.events.since(start).map(({ subject }) => subject))
  return [...subjects]
    .flatMap((subject) => entrySteps(store, subject))
    .filter(({ event }) => event.at >= start)
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
}

/** All events of one entry, oldest first; empty when the id is not that of an entry. */
export function entrySteps(store: KnowledgeStore, id: string): EntryStep[] {
  const events = store.events.ofSubject(id).map(toEvent)
  if (!events.some(({ change }) => change.type === "stored" || change.type === "purged")) return []
  const forms = entryForms(id, events)
  return forms.map(({ event, entry }, i) => ({ event, before: forms[i - 1]?.entry ?? null, after: entry }))
}

function sortKey({ event }: EntryStep): string {
  return event.at + event.id
}
