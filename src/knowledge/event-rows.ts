import type { EventRow } from "../store/knowledge/events.ts"
import type { KnowledgeEvent } from "./event.ts"

export function toEvent({ id, at, subject, body }: EventRow): KnowledgeEvent {
  return { id, at, subject, change: JSON.parse(body) }
}

export function toRow({ id, at, subject, change }: KnowledgeEvent): Omit<EventRow, "seq"> {
  return { id, at, subject, type: change.type, body: JSON.stringify(change) }
}
