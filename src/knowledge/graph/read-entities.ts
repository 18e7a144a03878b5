import type { KnowledgeStore } from "../../store/knowledge/knowledge-store.ts"
import type { Entity, Relation } from "../entity.ts"
import { settledEntities } from "./entity-index.ts"
import type { KnownEntities } from "./knowledge-graph.ts"

/** Which entities there are at this moment: for who is about to change them, inside a transaction. */
export function readEntities({ entities, relations }: KnowledgeStore): KnownEntities {
  return settledEntities(
    entities.after(0).map((body): Entity => JSON.parse(body)),
    relations.after(0).map((body): Relation => JSON.parse(body)),
  )
}
