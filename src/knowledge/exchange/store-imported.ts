import { findCredential } from "../credentials.ts"
import type { KnowledgeEvent } from "../event.ts"
import type { Knowledge } from "../knowledge.ts"
import { entityNamed, relate, relationId, writeEntity } from "../write-graph.ts"
import type { Writer } from "../writer.ts"
import type { Imported, ImportedEntity, ImportedEntry, ImportedRelation, Remark } from "./imported.ts"
import { type ImportTarget, importedId, type Planned, planImport } from "./plan-import.ts"
import { asInstant } from "./when.ts"

export type ImportReport = {
  readonly entries: readonly Planned[]
  /** How many came into being. */
  readonly entities: number
  readonly relations: number
  readonly warnings: readonly Remark[]
}

export type StoreOptions = ImportTarget & {
  /** Says what would come, and writes nothing. */
  readonly dryRun?: boolean
}

/** Stores what was read, in one transaction. Twice is the same as once. */
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

/** Each is left out, and said to be; entries are looked at where they are planned. */
function withoutCredentials(
  { entities, relations }: Graph,
  { force = false }: StoreOptions,
): { readonly graph: Graph; readonly warnings: readonly Remark[] } {
  if (force) return { graph: { entities, relations }, warnings: [] }
  const warnings: Remark[] = []
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
 * With instants for dates. What was said in one session at one time, or at none, follows by a millisecond each, so that
 * all who sort by time keep the order.
 */
function inSequence(entries: readonly ImportedEntry[], now: string): ImportedEntry[] {
  const last = new Map<string, { said: string | null; at: number }>()
  return entries.map((entry) => {
    const said = entry.recordedAt && asInstant(entry.recordedAt)
    if (entry.session == null) return { ...entry, recordedAt: said }
    const before = last.get(entry.session)
    const at = before?.said === said ? before.at + 1 : Date.parse(said ?? now)
    last.set(entry.session, { said, at })
    return { ...entry, recordedAt: new Date(at).toISOString() }
  })
}

/** True where something of it was not known. */
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
