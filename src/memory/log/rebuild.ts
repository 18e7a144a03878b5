import type { KnowledgeStore } from "../../store/memory/knowledge-store.ts"
import { derive } from "./derive.ts"

export type Rebuilt = {
  readonly events: number
  readonly entries: number
  readonly entities: number
  readonly relations: number
  /** Ids whose rows differed from the log; empty unless the tables were wrong. */
  readonly differing: readonly string[]
}

/** Derives every table again from the log and reports which rows differed. Call inside a transaction. */
export function rebuild(store: KnowledgeStore): Rebuilt {
  store.derived.clear()
  derive(store, store.events.subjects(), store.events.lastSeq())
  return {
    events: store.events.count(),
    entries: store.entries.after(0).length,
    entities: store.entities.after(0).length,
    relations: store.relations.after(0).length,
    differing: store.derived.differing(),
  }
}
