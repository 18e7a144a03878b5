import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import type { Entity, Relation } from "./entity.ts"
import type { Entry } from "./entry.ts"
import { toEntry } from "./entry-rows.ts"

export type ChangedSince = {
  /** In their present form, the deleted and superseded ones too. */
  readonly entries: readonly Entry[]
  readonly entities: readonly Entity[]
  readonly relations: readonly Relation[]
  /** Ids of what is gone for good. */
  readonly purged: readonly string[]
  /** To be given the next time. */
  readonly seq: number
}

/** What an index that knew everything up to `seq` has to take in; 0: all. */
export function changedSince(store: KnowledgeStore, seq: number): ChangedSince {
  return store.consistently(() => {
    const last = store.events.lastSeq()
    if (last === seq) return { entries: [], entities: [], relations: [], purged: [], seq }
    return {
      entries: store.entries.after(seq).map(toEntry),
      entities: store.entities.after(seq).map((body): Entity => JSON.parse(body)),
      relations: store.relations.after(seq).map((body): Relation => JSON.parse(body)),
      purged: seq === 0 ? [] : store.events.purgedAfter(seq),
      seq: last,
    }
  })
}
