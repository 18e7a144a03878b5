import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import { derive } from "./derive.ts"

export type Rebuilt = {
  readonly events: number
  readonly entries: number
  readonly entities: number
  readonly relations: number
  /** Ids of what the tables had otherwise than the log says; none, unless something is wrong. */
  readonly differing: readonly string[]
}

/** Derives every table anew from the log and says where that made a difference. Call inside a transaction. */
export function rebuild(store: KnowledgeStore): Rebuilt {
  const before = bodies(store)
  store.clearDerived()
  derive(store, store.events.subjects(), store.events.lastSeq())
  const after = bodies(store)
  const ids = new Set([...before.keys(), ...after.keys()])
  return {
    events: store.events.count(),
    entries: store.entries.after(0).length,
    entities: store.entities.after(0).length,
    relations: store.relations.after(0).length,
    differing: [...ids].filter((id) => before.get(id) !== after.get(id)).sort(),
  }
}

function bodies(store: KnowledgeStore): Map<string, string> {
  const all = [...store.entries.after(0), ...store.entities.after(0), ...store.relations.after(0)]
  return new Map(all.map((body) => [(JSON.parse(body) as { id: string }).id, body]))
}
