import { AmanError, sha256 } from "../../base/index.ts"
import { findCredential } from "../../text/index.ts"
import { entityNamed, relate, relationId, writeEntity } from "../entities/change-entities.ts"
import { checkEntry } from "../entries/check-entry.ts"
import type { NewEntry } from "../entries/entry.ts"
import { changedFields } from "../entries/entry-fields.ts"
import { instant, zoneIn } from "../entries/times.ts"
import type { Knowledge } from "../knowledge.ts"
import { type EntryFields, foldOrder, type KnowledgeEvent } from "../log/event.ts"
import { stableId } from "../log/ids.ts"
import type { Writer } from "../log/writer.ts"
import type { Imported, ImportedEntity, ImportedEntry, ImportedRelation, ImportRemark } from "./imported.ts"
import { withoutContext } from "./injected.ts"

/** Stores imported data in one transaction. Importing it again changes nothing. */
export function storeImported(knowledge: Knowledge, imported: Imported, options: ImportTarget) {
  // If an entry occurs twice in the source, only the last occurrence counts; otherwise each import would alternate
  // between the two.
  const byId = new Map(
    inSequence(imported.entries, options.now).map((entry) => [importedId(options, entry.ref), entry]),
  )
  const bySubject = Map.groupBy(
    knowledge.events().filter(({ subject }) => byId.has(subject)),
    ({ subject }) => subject,
  )
  const plan = planImport(byId, bySubject, options)
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
function withoutCredentials({ entities, relations }: Graph, { force = false }: ImportTarget) {
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
 * The entries with instants in UTC, and the writer's zone beside them. Entries of one session with the same time, or with none, are
 * placed one millisecond apart, so that sorting by time keeps their order.
 */
function inSequence(entries: readonly ImportedEntry[], now: string): ImportedEntry[] {
  const last = new Map<string, { time: string | null; at: number }>()
  return entries.map((entry) => {
    const [when, revisedAt] = [entry.recordedAt, entry.revisedAt].map((time) => time && toUtc(time))
    const zone = zoneIn(entry.recordedAt ?? "")
    const timed = {
      ...entry,
      recordedAt: when ?? null,
      revisedAt: revisedAt ?? null,
      ...(zone !== null && { zone }),
    }
    if (entry.session == null) return timed
    const before = last.get(entry.session)
    const at = before?.time === timed.recordedAt ? before.at + 1 : Date.parse(when ?? now)
    last.set(entry.session, { time: timed.recordedAt, at })
    return { ...timed, recordedAt: toUtc(at) }
  })
}

function toUtc(time: string | number): string {
  return new Date(time).toISOString()
}

/** Writes the entity unless the store already has all of its data; true when it was written. */
function writeIfNew(writer: Writer, entity: ImportedEntity, { project }: ImportTarget): boolean {
  const known = entityNamed(writer.store, project, entity.name)
  const isKnown =
    known !== null &&
    (known.type !== "" || entity.type === "") &&
    (known.description !== "" || entity.description === "") &&
    entity.aliases.every((alias) => known.name === alias || known.aliases.includes(alias))
  if (!isKnown) writeEntity(writer, project, entity)
  return !isKnown
}

function relateIfNew(writer: Writer, { from, to, relation }: ImportedRelation, { project }: ImportTarget) {
  const ends = [from, to].map((name) => entityNamed(writer.store, project, name)?.id)
  const isKnown =
    ends[0] !== undefined &&
    ends[1] !== undefined &&
    writer.store.relations.get(relationId(ends[0], ends[1], relation)) !== null
  if (!isKnown) relate(writer, project, { from, to, type: relation })
  return !isKnown
}

type PlannedImport = {
  readonly id: string
  readonly topic: string
  readonly text: string
  readonly outcome: "stored" | "revised" | "known" | "refused"
  /** Why the entry was refused; null when it was not. */
  readonly reason: string | null
}

type ImportTarget = {
  readonly format: string
  readonly project: string | null
  /** Time of the import, an ISO instant; used for entries without a time. */
  readonly now: string
  /** Accept text that looks like a credential. */
  readonly force?: boolean
  /** Report what would be imported, and write nothing. */
  readonly dryRun?: boolean
}

/** Reason of events for revisions made in the source, before the first import or after it. */
const REASON = "revised in its source"

/**
 * The events to write for the imported entries. An entry's id is derived from the format, the project and its ref, so
 * that a second import finds the entry even if it was changed in the store. Only changes made in the source are
 * written; deleted or purged entries stay deleted or purged. `known` has the existing events of each subject.
 */
function planImport(
  byId: ReadonlyMap<string, ImportedEntry>,
  known: ReadonlyMap<string, readonly KnowledgeEvent[]>,
  target: ImportTarget,
) {
  const planned: PlannedImport[] = []
  const events: KnowledgeEvent[] = []
  for (const [id, entry] of byId) {
    const text = withoutContext(entry.text)
    const checked =
      text.trim() === "" ? "it has no text of its own" : checkedFields({ ...entry, text }, target)
    if (typeof checked === "string") {
      planned.push({ id, topic: entry.topic ?? "general", text, outcome: "refused", reason: checked })
      continue
    }
    const written = eventsFor(id, entry, checked, known.get(id) ?? [], target)
    events.push(...written)
    const first = written[0]?.change.type
    const outcome = first === undefined ? "known" : first === "stored" ? "stored" : "revised"
    planned.push({ id, topic: checked.topic, text: checked.text, outcome, reason: null })
  }
  return { entries: planned, events }
}

/** Id of an entry of a source, the same in every store that imports it for this project. */
function importedId({ format, project }: Pick<ImportTarget, "format" | "project">, ref: string): string {
  return stableId("import", format, project, ref)
}

function checkedFields(entry: ImportedEntry, { project, force = false }: ImportTarget): EntryFields | string {
  const { ref: _ref, revisedAt: _revisedAt, ...fields } = entry
  try {
    return checkEntry({ ...(fields as NewEntry), project }, { force }).fields
  } catch (error) {
    if (error instanceof AmanError) return error.message
    throw error
  }
}

function eventsFor(
  subject: string,
  entry: ImportedEntry,
  fields: EntryFields,
  known: readonly KnowledgeEvent[],
  { now }: ImportTarget,
): KnowledgeEvent[] {
  const event = (at: string, change: KnowledgeEvent["change"]): KnowledgeEvent => ({
    // The same revision of the same entry gets the same event id on all machines.
    id: stableId("import", subject, at, sha256(JSON.stringify(change))),
    at,
    subject,
    change,
  })
  const { recordedAt, revisedAt = null } = entry
  if (known.length === 0) {
    const stored = event(recordedAt ?? now, { type: "stored", fields })
    if (revisedAt === null || revisedAt <= stored.at) return [stored]
    return [stored, event(revisedAt, { type: "revised", fields: {}, reason: REASON })]
  }
  const previous = lastImported(known)
  if (previous === null) return []
  // The zone never changes, because the time of recording stays.
  const { zone: _, ...found } = fields
  const changes = changedFields<Partial<EntryFields>>(previous.fields, found)
  if (Object.keys(changes).length === 0) return []
  const written = revisedAt !== null && revisedAt > previous.at ? revisedAt : now
  // The time of the event must be later than that of the subject's previous event, even if the source gives both the
  // same time.
  const at = written > previous.at ? written : instant(Date.parse(previous.at) + 1)
  return [event(at, { type: "revised", fields: changes, reason: REASON })]
}

/** The fields as last imported from the source; null when the entry was purged. */
function lastImported(events: readonly KnowledgeEvent[]): { fields: EntryFields; at: string } | null {
  let fields: EntryFields | null = null
  let at = ""
  for (const event of foldOrder(events)) {
    const { change } = event
    if (change.type === "purged") return null
    if (change.type === "stored") fields = change.fields
    else if (change.type !== "revised" || change.reason !== REASON || fields === null) continue
    else fields = { ...(fields as EntryFields), ...change.fields }
    at = event.at
  }
  return fields === null ? null : { fields, at }
}
