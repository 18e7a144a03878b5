import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import type { Entry } from "./entry.ts"
import { toEvent } from "./event-rows.ts"
import { foldEntry } from "./fold-entry.ts"
import { onePerKey } from "./one-per-key.ts"
import { lastMoment, parseTime } from "./times.ts"

/** Every entry as it was then, in the order of recording: folded anew from what had happened by that time. */
export function knownAt(store: KnowledgeStore, then: string): Entry[] {
  const rows = store.events.until(lastMoment(parseTime(then, "known_at")))
  const bySubject = Map.groupBy(rows, ({ subject }) => subject)
  const entries = [...bySubject].flatMap(([id, events]) => foldEntry(id, events.map(toEvent)) ?? [])
  const groups = Map.groupBy(entries, ({ project, key }) =>
    key === null ? null : JSON.stringify([project, key]),
  )
  const settled = [...groups].flatMap(([key, group]) => (key === null ? group : onePerKey(group)))
  return settled.sort((a, b) => (recorded(a) < recorded(b) ? -1 : 1))
}

function recorded({ recordedAt, id }: Entry): string {
  return recordedAt + id
}
