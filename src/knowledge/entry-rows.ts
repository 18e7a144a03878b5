import { sha256 } from "../base/sha256.ts"
import type { EntityRow } from "../store/knowledge/entities.ts"
import type { EntryRow } from "../store/knowledge/entries.ts"
import type { RelationRow } from "../store/knowledge/relations.ts"
import type { Entity, Relation } from "./entity.ts"
import type { Entry } from "./entry.ts"
import { comparable } from "./labels.ts"
import { likenessKeys, likenessOf } from "./likeness.ts"
import { isLiving } from "./one-per-key.ts"
import { firstMoment } from "./times.ts"

export function toEntry(body: string): Entry {
  return JSON.parse(body)
}

export function entryRow(entry: Entry, seq: number): EntryRow {
  return {
    id: entry.id,
    seq,
    project: entry.project,
    topic: comparable(entry.topic),
    kind: entry.kind,
    key: entry.key,
    author: entry.author,
    role: entry.role,
    session: entry.session,
    ordinal: entry.ordinal,
    path: entry.source?.path ?? null,
    recordedAt: entry.recordedAt,
    revisedAt: entry.revisedAt,
    validFrom: entry.validFrom === null ? null : firstMoment(entry.validFrom),
    validUntil: entry.validUntil === null ? null : firstMoment(entry.validUntil),
    supersededAt: entry.supersededAt,
    supersededBy: entry.supersededBy,
    deletedAt: entry.deletedAt,
    textHash: textHash(entry.text),
    body: JSON.stringify(entry),
    tags: entry.tags,
    entities: entry.entities.map(comparable),
    likeness: isLiving(entry) ? likenessKeys(entry.project, entry.topic, likenessOf(entry.text)) : [],
  }
}

/** Equal for texts that differ in nothing but white space around them. */
export function textHash(text: string): string {
  return sha256(text.trim()).slice(0, 16)
}

export function entityRow(entity: Entity, seq: number): EntityRow {
  const { id, project, mergedInto, deletedAt, name, aliases } = entity
  const names = [...new Set([name, ...aliases].map(comparable))]
  return { id, seq, project, mergedInto, deletedAt, names, body: JSON.stringify(entity) }
}

export function relationRow(relation: Relation, seq: number): RelationRow {
  return { id: relation.id, seq, deletedAt: relation.deletedAt, body: JSON.stringify(relation) }
}
