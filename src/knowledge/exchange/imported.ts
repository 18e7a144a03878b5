import type { EntryFields } from "../event.ts"

/** One file that is to be imported, as text. */
export type SourceFile = {
  /** Relative to what was named for import, with "/". */
  readonly name: string
  /** As `decodeText` gives it: lines end with "\n". */
  readonly text: string
  /** ISO instant of its last change; null where nobody knows, as on standard input. */
  readonly modified: string | null
}

/** What a source holds, in this store's words. Nothing of it is written yet. */
export type Imported = {
  readonly entries: readonly ImportedEntry[]
  readonly entities: readonly ImportedEntity[]
  readonly relations: readonly ImportedRelation[]
  readonly warnings: readonly Remark[]
}

/** What is to be said about a line of a source; line 1 is the first, null: the whole. */
export type Remark = { readonly file: string; readonly line: number | null; readonly message: string }

export type ImportedEntry = Partial<Omit<EntryFields, "text" | "project" | "source" | "key">> & {
  /** Tells it from all others of its format, the same whenever it is read: its id is made of it. */
  readonly ref: string
  readonly text: string
  /** When it was said or written, a date or an instant; null where the source does not say. */
  readonly recordedAt: string | null
  /** When it took this form; null: when it was recorded. */
  readonly revisedAt?: string | null
}

export type ImportedEntity = {
  readonly name: string
  readonly type: string
  readonly description: string
  readonly aliases: readonly string[]
}

/** Between entities by their names. */
export type ImportedRelation = { readonly from: string; readonly to: string; readonly relation: string }

export function nothingImported(warnings: readonly Remark[] = []): Imported {
  return { entries: [], entities: [], relations: [], warnings }
}

/** Several sources as one: an entity that many name is there once. */
export function joined(parts: readonly Imported[]): Imported {
  const entities = new Map<string, ImportedEntity>()
  for (const entity of parts.flatMap((part) => part.entities)) {
    const key = entity.name.toLowerCase()
    const known = entities.get(key)
    entities.set(key, known ? merged(known, entity) : entity)
  }
  return {
    entries: parts.flatMap((part) => part.entries),
    entities: [...entities.values()],
    relations: parts.flatMap((part) => part.relations),
    warnings: parts.flatMap((part) => part.warnings),
  }
}

function merged(a: ImportedEntity, b: ImportedEntity): ImportedEntity {
  return {
    name: a.name,
    type: a.type || b.type,
    description: a.description || b.description,
    aliases: [...new Set([...a.aliases, ...b.aliases])],
  }
}
