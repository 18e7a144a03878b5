import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import type { Entry } from "./entry.ts"
import { entityRow, entryRow, relationRow, toEntry } from "./entry-rows.ts"
import type { KnowledgeEvent } from "./event.ts"
import { toEvent } from "./event-rows.ts"
import { entriesOfKey } from "./find-entry.ts"
import { foldEntry } from "./fold-entry.ts"
import { foldEntity, foldRelation } from "./fold-graph.ts"
import { onePerKey } from "./one-per-key.ts"

/**
 * Brings the derived tables up to what the log says of these subjects. Call inside the transaction that wrote the
 * events; `seq` is the number of the last one.
 */
export function derive(store: KnowledgeStore, subjects: Iterable<string>, seq: number): void {
  const touched = new Map<string, Entry | null>()
  for (const subject of new Set(subjects)) {
    const events = store.events.ofSubject(subject).map(toEvent)
    const kind = kindOf(events)
    if (kind === "entry") touched.set(subject, foldEntry(subject, events))
    else deriveGraph(store, kind, subject, events, seq)
  }
  deriveEntries(store, touched, seq)
}

/** By the first event whose kind is known; a purged subject may have been any, and is taken out of all tables. */
function kindOf(events: readonly KnowledgeEvent[]): "entry" | "entity" | "relation" {
  const types = events.map((event) => event.change.type)
  if (types.some((type) => type.startsWith("entity"))) return "entity"
  return types.some((type) => type.startsWith("relation")) ? "relation" : "entry"
}

function deriveGraph(
  store: KnowledgeStore,
  kind: "entity" | "relation",
  id: string,
  events: readonly KnowledgeEvent[],
  seq: number,
): void {
  if (kind === "entity") {
    const entity = foldEntity(id, events)
    if (entity === null) store.entities.remove(id)
    else store.entities.put(entityRow(entity, seq))
    return
  }
  const relation = foldRelation(id, events)
  if (relation === null) store.relations.remove(id)
  else store.relations.put(relationRow(relation, seq))
}

function deriveEntries(store: KnowledgeStore, touched: ReadonlyMap<string, Entry | null>, seq: number): void {
  const entries = new Map(touched)
  const groups = new Map<string, [project: string | null, key: string]>()
  for (const [id, entry] of touched) {
    const former = store.entries.get(id)
    for (const form of [entry, former === null ? null : toEntry(former)])
      if (form !== null && form.key !== null)
        groups.set(JSON.stringify([form.project, form.key]), [form.project, form.key])
    // Now, so that a group finds those that came into it.
    if (entry === null) removeEntry(store, id)
    else store.entries.put(entryRow(entry, seq))
  }
  for (const [project, key] of groups.values()) settleKey(store, entries, project, key, seq)
}

function settleKey(
  store: KnowledgeStore,
  touched: ReadonlyMap<string, Entry | null>,
  project: string | null,
  key: string,
  seq: number,
): void {
  const present = entriesOfKey(store, project, key)
  const own = present.map(
    ({ id }) => touched.get(id) ?? foldEntry(id, store.events.ofSubject(id).map(toEvent))!,
  )
  for (const [i, settled] of onePerKey(own).entries())
    if (JSON.stringify(settled) !== JSON.stringify(present[i])) store.entries.put(entryRow(settled, seq))
}

function removeEntry(store: KnowledgeStore, id: string): void {
  store.entries.remove(id)
  store.computed.clear()
  // Of a purged subject nothing says what it was.
  store.entities.remove(id)
  store.relations.remove(id)
}
