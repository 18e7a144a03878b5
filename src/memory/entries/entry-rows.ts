import { sha256 } from "../../base/files/files.ts"
import type { EntityRow } from "../../store/memory/entities.ts"
import type { EntryRow } from "../../store/memory/entries.ts"
import type { RelationRow } from "../../store/memory/relations.ts"
import type { Entity, Relation } from "../entities/entity.ts"
import type { Entry } from "./entry.ts"
import { comparable } from "./labels.ts"
import { comparableText, similarityKeys } from "./similarity.ts"
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
    likeness: isLiving(entry) ? similarityKeys(entry.project, entry.topic, comparableText(entry.text)) : [],
  }
}

/** 16 characters of SHA-256; equal for texts that differ only in surrounding white space. */
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

/**
 * Marks all living entries with the same key in the same project as superseded by the newest of them. The mark is
 * computed from the entries and not written as an event, so that two stores that used the key independently agree once
 * they have exchanged their events.
 */
export function supersedeSameKey(entries: readonly Entry[]): Entry[] {
  const winner = entries.filter(isLiving).reduce<Entry | null>(newer, null)
  return entries.map((entry) =>
    winner === null || entry.id === winner.id || !isLiving(entry)
      ? entry
      : { ...entry, supersededAt: winner.revisedAt, supersededBy: winner.id },
  )
}

/** True for a living entry: one that is neither deleted nor superseded. */
export function isLiving({ deletedAt, supersededAt }: Entry): boolean {
  return deletedAt === null && supersededAt === null
}

function newer(best: Entry | null, entry: Entry): Entry {
  if (best === null) return entry
  const isLater =
    entry.revisedAt > best.revisedAt || (entry.revisedAt === best.revisedAt && entry.id > best.id)
  return isLater ? entry : best
}
