import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import type { Entry } from "./entry.ts"
import { toEntry } from "./entry-rows.ts"

export type ChangedSince = {
  /** In their present form, the deleted and superseded ones too. */
  readonly entries: readonly Entry[]
  /** Ids of what is gone for good. */
  readonly purged: readonly string[]
  /** To be given the next time. */
  readonly seq: number
}

/** What an index that knew everything up to `seq` has to take in; 0: all. */
export function changedSince(store: KnowledgeStore, seq: number): ChangedSince {
  return store.consistently(() => {
    const last = store.events.lastSeq()
    if (last === seq) return { entries: [], purged: [], seq }
    return {
      entries: store.entries.after(seq).map(toEntry),
      purged: seq === 0 ? [] : store.events.purgedAfter(seq),
      seq: last,
    }
  })
}
