import { findCredential } from "../../text/secrets/credentials.ts"
import { entityNamed, relate, relationId, writeEntity } from "../entities/write-graph.ts"
import type { Knowledge } from "../knowledge.ts"
import type { KnowledgeEvent } from "../log/event.ts"
import type { Writer } from "../log/writer.ts"
import { toInstant } from "./import-time.ts"
import type { Imported, ImportedEntity, ImportedEntry, ImportedRelation, ImportRemark } from "./imported.ts"
import { type ImportTarget, importedId, type PlannedImport, planImport } from "./plan-import.ts"

export type ImportReport = {
  readonly entries: readonly PlannedImport[]
  /** Numbers of new entities and relations. */
  readonly entities: number
  readonly relations: number
  readonly warnings: readonly ImportRemark[]
}

type StoreOptions = ImportTarget & {
  /** Report what would be imported, and write nothing. */
  readonly dryRun?: boolean
}

/** Stores imported data in one transaction. Importing it again changes nothing. */
export function storeImported(knowledge: Knowledge, imported: Imported, options: StoreOptions): ImportReport {
  const wanted = new Set(imported.entries.map(({ ref }) => importedId(options, ref)))
  const bySubject = Map.groupBy(
    knowledge.events().filter(({ subject }) => wanted.has(subject)),
    ({ subject }) => subject,
  )
  const entries = inSequence(imported.entries, options.now)
  const plan = planImport(
    entries,
    (subject): readonly KnowledgeEvent[] => bySubject.get(subject) ?? [],
    options,
  )
  const { graph, warnings } = withoutCredentials(imported, options)
  const report = { entries: plan.entries, warnings: [...imported.warnings, ...warnings] }
  if (options.dryRun) return { ...report, entities: graph.entities.length, relations: graph.relations.length }
  return knowledge.write((writer) => {
    knowledge.appendEvents(plan.events)
    const named = plan.events.flatMap(({ change }) =>
      change.type === "stored" ? change.fields.entities : [],
    )
    const mentioned = [...new Set(named)].map((name) => ({ name, type: "", description: "", aliases: [] }))
    const entities = [...graph.entities, ...mentioned].filter((entity) => writeIfNew(writer, entity, options))
    const relations = graph.relations.filter((relation) => relateIfNew(writer, relation, options))
    return { ...report, entities: entities.length, relations: relations.length }
  })
}

type Graph = Pick<Imported, "entities" | "relations">

/**
 * The entities and relations that do not look like credentials, with a warning for each of the others. Entries are
 * checked by `planImport`.
 */
function withoutCredentials(
  { entities, relations }: Graph,
  { force = false }: StoreOptions,
): { readonly graph: Graph; readonly warnings: readonly ImportRemark[] } {
  if (force) return { graph: { entities, relations }, warnings: [] }
  const warnings: ImportRemark[] = []
  const isHarmless = (what: string, parts: readonly string[]): boolean => {
    const found = findCredential(parts.join("\n"))
    if (found === null) return true
    warnings.push({ file: "left out", line: null, message: `${what} looks like ${found.kind}` })
    return false
  }
  const graph = {
    entities: entities.filter(({ name, type, description, aliases }) =>
      isHarmless("an entity", [name, type, description, ...aliases]),
    ),
    relations: relations.filter(({ from, to, relation }) => isHarmless("a relation", [from, to, relation])),
  }
  return { graph, warnings }
}

/**
 * The entries with instants instead of dates. Entries of one session with the same time, or with none, are
 * placed one millisecond apart, so that sorting by time keeps their order.
 */
function inSequence(entries: readonly ImportedEntry[], now: string): ImportedEntry[] {
  const last = new Map<string, { time: string | null; at: number }>()
  return entries.map((entry) => {
    const when = entry.recordedAt && toInstant(entry.recordedAt)
    if (entry.session == null) return { ...entry, recordedAt: when }
    const before = last.get(entry.session)
    const at = before?.time === when ? before.at + 1 : Date.parse(when ?? now)
    last.set(entry.session, { time: when, at })
    return { ...entry, recordedAt: new Date(at).toISOString() }
  })
}

/** Writes the entity unless the store already has all of its data; true when it was written. */
function writeIfNew(writer: Writer, entity: ImportedEntity, { project }: StoreOptions): boolean {
  const known = entityNamed(writer.store, project, entity.name)
  const isKnown =
    known !== null &&
    (known.type !== "" || entity.type === "") &&
    (known.description !== "" || entity.description === "") &&
    entity.aliases.every((alias) => known.name === alias || known.aliases.includes(alias))
  if (!isKnown) writeEntity(writer, project, entity)
  return !isKnown
}

function relateIfNew(
  writer: Writer,
  { from, to, relation }: ImportedRelation,
  { project }: StoreOptions,
): boolean {
  const ends = [from, to].map((name) => entityNamed(writer.store, project, name)?.id)
  const isKnown =
    ends[0] !== undefined &&
    ends[1] !== undefined &&
    writer.store.relations.get(relationId(ends[0], ends[1], relation)) !== null
  if (!isKnown) relate(writer, project, { from, to, type: relation })
  return !isKnown
}
