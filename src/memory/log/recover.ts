/*
 * Recovers a damaged knowledge.db. 1. The readable rows are salvaged from a copy; 2. a new file gets the events that
 * could be read; 3. gaps are filled from the tables; 4. the new file replaces the old one while no other process has
 * it open; 5. losses are listed.
 */

import { constants, copyFileSync, existsSync, renameSync, rmSync, statSync } from "node:fs"
import { AmanError, displayPath, openFolderOf, parseJson } from "../../base/index.ts"
import { exclusively, type Salvaged, salvage } from "../../store/index.ts"
import type { Entity, Relation } from "../entities/entities.ts"
import type { Entry } from "../entries/entry.ts"
import { Knowledge } from "../knowledge.ts"
import { appendEvents } from "./derive.ts"
import { type Change, type EntityFields, type EntryFields, type KnowledgeEvent, readEvent } from "./event.ts"
import { DEFAULTS } from "./fold-entry.ts"
import type { Writer } from "./writer.ts"

export type RecoveryReport = {
  readonly entries: number
  readonly events: number
  /** Number of events that could not be read. */
  readonly lost: number
  /** Number of entries, entities and relations that were restored from their tables instead of their events. */
  readonly mended: number
  /** Losses, one line each; empty when every row that was ever written is there. */
  readonly losses: readonly string[]
  /** Damage found in the file, one line each. */
  readonly damages: readonly string[]
  /** Reasons why more may be lost than is known; empty when everything that was ever written is counted. */
  readonly doubts: readonly string[]
  /** Path of the copy of the damaged file. */
  readonly kept: string
}

/**
 * Makes a new knowledge.db from the readable part of a damaged one and keeps a copy of the damaged file
 * beside it; null when the file is sound. Events are used first; the tables derived from them fill the gaps.
 * Throws KNOWLEDGE_CORRUPT when nothing can be read, KNOWLEDGE_BUSY when another process has the file open.
 */
export function recover(file: string, now: () => number): RecoveryReport | null {
  const damages = damagesIn(file, now)
  if (damages.length === 0) return null
  using opened = openFolderOf(file)
  const path = opened?.at ?? file
  const kept = `${path}.damaged-${new Date(now()).toISOString().replaceAll(/\D/g, "").slice(0, 14)}`
  for (let attempt = 1; ; attempt++) {
    const salvaged = salvageCopy(path, kept)
    const recovered = exclusively(path, (lastSeq) => {
      // Another process wrote after the copy was made: copy again.
      const isOld = lastSeq !== null && salvaged.events.every(({ seq }) => seq < lastSeq)
      if (isOld && attempt < 3 && !salvaged.lost.some(({ seq }) => seq >= lastSeq)) return null
      return replace(path, salvaged, now)
    })
    if (recovered !== null) return { ...recovered, damages, kept: displayPath(kept) }
  }
}

const LOGS = ["-wal", "-shm"]

function damagesIn(path: string, now: () => number): readonly string[] {
  // SQLite calls an empty file a new database.
  if (statSync(path).size === 0) return ["the file is empty"]
  try {
    using knowledge = new Knowledge({ path, now, readonly: true })
    return knowledge.damages()
  } catch (error) {
    if (error instanceof AmanError && error.code === "KNOWLEDGE_CORRUPT") return [error.message]
    throw error
  }
}

/** Copies the file to `kept` and salvages that copy. This process must not have the file open. */
function salvageCopy(path: string, kept: string): Salvaged {
  let cause: unknown
  try {
    for (const suffix of ["", ...LOGS]) {
      rmSync(kept + suffix, { force: true })
      if (existsSync(path + suffix)) copyFileSync(path + suffix, kept + suffix, constants.COPYFILE_EXCL)
    }
    const salvaged = salvage(kept, `${path}.reading`)
    if (salvaged.events.length + salvaged.entries.length > 0) return salvaged
  } catch (error) {
    cause = error
  }
  for (const suffix of ["", ...LOGS]) rmSync(kept + suffix, { force: true })
  throw new AmanError("KNOWLEDGE_CORRUPT", `nothing can be read of ${displayPath(path)}`, {
    hint: "nothing was changed; to import an export or a copy, move the file away, then run: aman memory import FILE",
    cause,
  })
}

function replace(path: string, salvaged: Salvaged, now: () => number) {
  const fresh = `${displayPath(path)}.recovered`
  for (const suffix of ["", ...LOGS]) rmSync(fresh + suffix, { force: true })
  const counts = fillStore(fresh, salvaged, now)
  // Left over only when the file could not be opened; otherwise SQLite has already merged the WAL into it.
  for (const suffix of LOGS) rmSync(path + suffix, { force: true })
  renameSync(`${path}.recovered`, path)
  return counts
}

function fillStore(path: string, salvaged: Salvaged, now: () => number) {
  using knowledge = new Knowledge({ path, now })
  const events = salvaged.events.flatMap(eventOf)
  const { mended, stillLost } = knowledge.write((writer) => {
    for (const project of salvaged.projects) knowledge.projects.add(project)
    for (const mark of salvaged.marks) knowledge.projects.mark(mark)
    knowledge.appendEvents(events)
    const mended = mendAll(writer, salvaged)
    const nameless = addProjects(knowledge, now)
    return { mended, stillLost: [...lostEvents(knowledge, salvaged), ...lostProjects(salvaged, nameless)] }
  })
  return {
    ...{ mended, losses: stillLost, doubts: salvaged.doubts },
    lost: salvaged.lost.length + salvaged.events.length - events.length,
    entries: knowledge.list({}, { limit: 0 }).total,
    events: knowledge.events().length,
  }
}

/** Adds rows for projects that entries name but whose rows were lost, so that `memory link` can refer to them. */
function addProjects(knowledge: Knowledge, now: () => number): string[] {
  const known = new Set(knowledge.projects.all().map(({ id }) => id))
  const { entries, entities } = knowledge.changedSince(0)
  const named = new Set([...entries, ...entities].flatMap(({ project }) => project ?? []))
  const lost = [...named].filter((id) => !known.has(id)).sort()
  for (const id of lost)
    knowledge.projects.add({ id, name: `recovered-${id}`, created: new Date(now()).toISOString() })
  return lost
}

function lostEvents(knowledge: Knowledge, { lost }: Salvaged): string[] {
  const { entries } = knowledge.changedSince(0)
  const present = new Set(entries.map(({ id }) => id))
  return lost.map((event) => {
    const { seq, at, subject } = event
    if (subject === null) return `event ${seq} of the log: its subject cannot be read either`
    const fate = present.has(subject)
      ? "which has its last known state; that step of its history is lost"
      : "which is lost"
    return `event ${seq} of the log, of ${at}, about ${subject}, ${fate}`
  })
}

function lostProjects({ lostProjects, lostMarks }: Salvaged, nameless: readonly string[]): string[] {
  const link = "run aman memory projects, then aman memory link ID in its folder"
  return [
    ...nameless.map((id) => `the name of project ${id}; it is now called recovered-${id}`),
    ...(lostProjects !== null && lostProjects > nameless.length
      ? [`${lostProjects - nameless.length} projects without any entry`]
      : []),
    ...(lostMarks === null || lostProjects === null
      ? [`by which folders and remotes projects are known, as far as that could not be read: ${link}`]
      : []),
    ...(lostMarks !== null && lostMarks > 0
      ? [`${lostMarks} folders or remotes by which a project was known: ${link}`]
      : []),
  ]
}

function eventOf({ id, at, subject, body }: Salvaged["events"][number]): KnowledgeEvent[] {
  const event = { id, at, subject, change: parseJson(body) }
  const read = readEvent(event)
  return typeof read === "string" ? [] : [read]
}

type SalvagedRows = Pick<Salvaged, "entries" | "entities" | "relations">

/** Writes events for what the old tables contain but the damaged log lacks; returns how many subjects that were. */
function mendAll(writer: Writer, { entries, entities, relations }: SalvagedRows): number {
  const { store } = writer
  const absent = (table: { get(id: string): string | null }, { id }: { readonly id: string }): boolean =>
    table.get(id) === null && !store.events.isPurged(id)
  const mended = [
    ...entries.map((body) => mendEntry(writer, body)),
    ...parseCompleteRows<Entity>(entities, (one) => ({ type: "entity", fields: entityFields(one) }))
      .filter((one) => absent(store.entities, one))
      .map((one) => mendEntity(writer, one)),
    ...parseCompleteRows<Relation>(relations, relationChange)
      .filter((one) => one.deletedAt === null && absent(store.relations, one))
      .map((one) => put(writer, one.id, one.recordedAt, relationChange(one))),
  ]
  return mended.filter(Boolean).length
}

function mendEntry(writer: Writer, body: string): boolean {
  const [entry] = parseCompleteRows<Entry>([body], (one) => ({ type: "stored", fields: fieldsOfEntry(one) }))
  const { entries, events } = writer.store
  if (entry === undefined || entries.get(entry.id) === body || events.isPurged(entry.id)) return false
  const fields = fieldsOfEntry(entry)
  if (entries.get(entry.id) === null) put(writer, entry.id, entry.recordedAt, { type: "stored", fields })
  const known: Entry = JSON.parse(entries.get(entry.id)!)
  if (JSON.stringify(fieldsOfEntry(known)) !== JSON.stringify(fields))
    writer.write(entry.id, { type: "revised", fields, reason: "recovered" }, entry.revisedAt)
  const { supersededBy, supersededAt, deletedAt } = entry
  if (supersededBy !== null && known.supersededBy === null)
    writer.write(entry.id, { type: "superseded", by: supersededBy, reason: null }, supersededAt!)
  if (deletedAt !== null && known.deletedAt === null)
    writer.write(entry.id, { type: "deleted", reason: null }, deletedAt)
  return true
}

function mendEntity(writer: Writer, entity: Entity): boolean {
  const { id, recordedAt, mergedInto, deletedAt } = entity
  put(writer, id, recordedAt, { type: "entity", fields: entityFields(entity) })
  if (mergedInto !== null) writer.write(id, { type: "entity-merged", into: mergedInto })
  if (deletedAt !== null) writer.write(id, { type: "entity-deleted" })
  return true
}

/**
 * Adds an event with exactly this time, at which the subject was recorded. False when the store already has the event.
 */
function put(writer: Writer, subject: string, at: string, change: Change): boolean {
  return appendEvents(writer.store, [{ id: writer.nextId(), at, subject, change }]) > 0
}

/** The parsed rows that are complete: those that would make a valid event. */
function parseCompleteRows<T extends { readonly id: string; readonly recordedAt: string }>(
  bodies: readonly string[],
  change: (one: T) => Change,
): T[] {
  return bodies.flatMap((body) => {
    const one = parseJson(body) as T | null | undefined
    if (typeof one !== "object" || one === null) return []
    const event = { id: one.id, at: one.recordedAt, subject: one.id, change: change(one) }
    return typeof readEvent(event) === "string" ? [] : [one]
  })
}

function fieldsOfEntry(entry: Entry): EntryFields {
  const names = ["text", ...Object.keys(DEFAULTS), ...(entry.zone === undefined ? [] : ["zone"])]
  return Object.fromEntries(names.map((name) => [name, entry[name as keyof Entry]])) as EntryFields
}

function entityFields({ project, name, type, description, aliases, metadata }: Entity): EntityFields {
  return { project, name, type, description, aliases, metadata }
}

function relationChange({ from, to, relation, weight }: Relation): Change {
  return { type: "relation", from, to, relation, weight }
}
