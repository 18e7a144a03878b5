import type { Entity, Relation } from "../src/memory/entities/entities.ts"
import type { GraphEntry } from "../src/memory/entities/graph-index.ts"

const AT = "2026-01-01T00:00:00.000Z"

export function entityRow(id: string, name: string, rest: Partial<Entity> = {}): Entity {
  const empty = { project: null, type: "", description: "", aliases: [], metadata: {} }
  return { id, name, ...empty, recordedAt: AT, revisedAt: AT, mergedInto: null, deletedAt: null, ...rest }
}

export function relationRow(from: string, to: string, rest: Partial<Relation> = {}): Relation {
  const times = { recordedAt: AT, revisedAt: AT, deletedAt: null }
  return { id: `${from}-${to}`, from, to, relation: "uses", weight: 1, ...times, ...rest }
}

export function graphEntry(id: string, text: string, rest: Partial<GraphEntry> = {}): GraphEntry {
  return { id, text, project: null, entities: [], deletedAt: null, ...rest }
}
