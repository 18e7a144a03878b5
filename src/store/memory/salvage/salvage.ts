/**
 * Recovers what can still be read of a damaged knowledge.db. In order: read the pages of the file and its log
 * (database-image.ts); assign every record found on them to a table by its form and seal; open a repaired copy with
 * SQLite and read the same rows there; join both results; list the events that are missing.
 */

import type { Database } from "bun:sqlite"
import { closeSync, rmSync } from "node:fs"
import { createFile, writeAll } from "../../../base/index.ts"
import { openDatabase } from "../../open-database.ts"
import { KNOWLEDGE_MIGRATIONS } from "../migrations/list.ts"
import { SEALED_TABLES, type SealedTable, sealOf } from "../seal.ts"
import { type EventRow, MARK_KINDS, type MarkKind, type ProjectMark, type ProjectRow } from "../tables.ts"
import {
  bytesWritten,
  type RawRecord,
  rawRecords,
  readImage,
  strayRecords,
  withSoundHeader,
} from "./database-image.ts"

/** The content that can still be read from a damaged knowledge.db. */
export type Salvaged = {
  readonly events: readonly EventRow[]
  /** Events that existed but cannot be read. */
  readonly lost: readonly LostEvent[]
  /** Bodies of entries as JSON, the newest version of each. */
  readonly entries: readonly string[]
  readonly entities: readonly string[]
  readonly relations: readonly string[]
  readonly projects: readonly ProjectRow[]
  readonly marks: readonly ProjectMark[]
  /** Number of projects and marks that cannot be read; null if the stored counts cannot be read either. */
  readonly lostProjects: number | null
  readonly lostMarks: number | null
  /** Reasons why the losses found may not be all, or may be too many; empty if every row that was written is counted. */
  readonly doubts: readonly string[]
}

type LostEvent = {
  readonly seq: number
  /** The fields that could be read from a database index of the log; null where that is lost, too. */
  readonly id: string | null
  readonly at: string | null
  readonly subject: string | null
}

/**
 * Reads a damaged file in two ways: row by row through SQLite, and page by page without SQLite. So neither a damaged
 * interior page nor a truncated file hides a row. Rows with a seal are checked against it. SQLite opens a copy at
 * `copy`, which is removed afterwards.
 */
export function salvage(path: string, copy: string): Salvaged {
  const image = readImage(path)
  const raw = classifyRecords(rawRecords(image))
  for (const { rowid, values } of strayRecords(image)) {
    const seal = values.at(-1)
    if (typeof seal !== "number") continue
    if (values.length === 7 && values[0] === null) takeNumbered(raw, rowid!, values)
    else takeBody(raw, values, seal)
  }
  try {
    writeNew(copy, withSoundHeader(image, KNOWLEDGE_MIGRATIONS.length))
    using db = openDatabase(copy, "read")
    return assemble(db, raw, bytesWritten(image))
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(copy + suffix, { force: true })
  }
}

function writeNew(path: string, bytes: Uint8Array): void {
  const file = createFile(path, 0o600)
  try {
    writeAll(file, bytes)
  } finally {
    closeSync(file)
  }
}

function assemble(db: Database, raw: CollectedRows, bytes: number): Salvaged {
  const version = readOrUndefined(
    () => db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version,
  )
  const isKnownVersion = version !== undefined && version > 0 && version <= KNOWLEDGE_MIGRATIONS.length
  const isCounted = raw.hasSeals || (isKnownVersion && version >= FIRST_WITH_SEALS)
  const events = new Map(raw.events)
  const max = maxNumber([...events.values()], bytes)
  for (const row of byNumber<Sealed<EventRow>>(db, "events", "seq", max)) takeEvent(events, row, isCounted)
  const readGaps = readOrUndefined(() => db.query<Gap, []>("SELECT first, last FROM gaps").all())
  const projects = new Map(raw.projects)
  for (const row of byNumber<Sealed<ProjectRow>>(db, "projects", "rowid")) takeProject(projects, row)
  const { marks, expectedMarks } = marksOf(db, raw)
  const bodies = (table: "entries" | "entities" | "relations") => [
    ...newest(table, raw.bodies[table], byNumber<BodyRow>(db, table, "rowid")).values(),
  ]
  const seqs = new Map([...events.values()].map((event) => [event.seq, event]))
  const { last, written } = numbersOf(db, raw, [...seqs.keys()], max)
  const purged = new Set<number>()
  for (const gap of [...(readGaps ?? []), ...raw.gaps])
    for (let seq = Math.max(1, gap.first); seq <= Math.min(gap.last, last); seq++) purged.add(seq)
  const lost = lostEvents(last, seqs, purged, raw.traces, isCounted)
  const uncounted = isCounted ? (written.rows ?? 0) - events.size - lost.length : 0
  // Events at the end of the log whose numbers cannot be read any more.
  for (let i = 1; i <= uncounted; i++) lost.push({ seq: last + i, id: null, at: null, subject: null })
  const mayBePurged = readGaps === undefined && lost.length > 0 && written.rows !== events.size + lost.length
  return {
    events: [...events.values()].sort((a, b) => a.seq - b.seq),
    lost,
    entries: bodies("entries"),
    entities: bodies("entities"),
    relations: bodies("relations"),
    projects: [...projects.values()],
    marks: [...marks.values()],
    lostProjects: missingCount(countOf(db, raw, "projects"), projects.size),
    lostMarks: missingCount(expectedMarks, marks.size),
    doubts: doubtsOf({ isKnownVersion, isCounted, isKnown: written.isKnown, mayBePurged }),
  }
}

type Readable = {
  readonly isKnownVersion: boolean
  readonly isCounted: boolean
  readonly isKnown: boolean
  readonly mayBePurged: boolean
}

function doubtsOf({ isKnownVersion, isCounted, isKnown, mayBePurged }: Readable): string[] {
  if (!isCounted) return [isKnownVersion ? DOUBTS.older : DOUBTS.unreadable]
  return [...(isKnown ? [] : [DOUBTS.unreadable]), ...(mayBePurged ? [DOUBTS.purged] : [])]
}

const DOUBTS = {
  older: "the file is from an older aman that kept no counts, so more may be lost",
  unreadable: "how many events there were cannot be read, so more may be lost",
  purged: "which events were purged cannot be read either: some of those called lost may be among them",
}

/**
 * The marks of projects: those that SQLite can read. Marks found on pages may have been deleted, so they are added only
 * if marks are missing.
 */
function marksOf(db: Database, raw: CollectedRows) {
  const rows =
    readOrUndefined(() => db.query<Sealed<ProjectMark>, []>("SELECT * FROM project_marks").all()) ?? []
  const marks = new Map<string, ProjectMark>()
  for (const mark of rows) takeMark(marks, mark)
  const expectedMarks = countOf(db, raw, "project_marks")
  const isWhole = expectedMarks !== null && marks.size >= expectedMarks
  return { marks: isWhole ? marks : new Map([...raw.marks, ...marks]), expectedMarks }
}

type WrittenEvents = {
  /** Number of rows that the log had, without purged ones; null if that cannot be read. */
  readonly rows: number | null
  /** True if the file still says how many events were written. */
  readonly isKnown: boolean
}

/**
 * The highest number that an event can have in a file of `bytes` bytes that contains these events. A counter above it
 * must be damaged.
 */
function maxNumber(found: readonly EventRow[], bytes: number): number {
  const sure = found.reduce((last, { seq }) => Math.max(last, seq), 0)
  return Math.max(sure, Math.min(sure + Math.ceil(bytes / MIN_EVENT_BYTES), MAX_COUNTED))
}

/** The highest event number that can be read anywhere, and what the file's counters say. Numbers above `max` are ignored. */
function numbersOf(
  db: Database,
  raw: CollectedRows,
  found: readonly number[],
  max: number,
): { readonly last: number; readonly written: WrittenEvents } {
  const sure = found.reduce((last, seq) => Math.max(last, seq), 0)
  const isBelievable = (seq: number) => seq <= max
  const counters = [...raw.lastNumbers, assigned(db, "events")].filter((seq) => seq > 0 && isBelievable(seq))
  const named = [...counters, ...raw.traces.keys(), highest(db, "events", "seq")].filter(isBelievable)
  const rows = countOf(db, raw, "events")
  const isCount = rows !== null && isBelievable(rows)
  return {
    last: named.reduce((last, seq) => Math.max(last, seq), sure),
    written: { rows: isCount ? rows : null, isKnown: isCount || counters.length > 0 },
  }
}

/** Lost events are listed one by one up to this number; a counter above it counts as damaged. */
const MAX_COUNTED = 1_000_000

/** Minimum size of an event in bytes: two ids, an instant and a type, with their entries in database indexes. */
const MIN_EVENT_BYTES = 100

/** The first schema version that stores a checksum for each row, purged numbers and row counts. */
const FIRST_WITH_SEALS = 5

function missingCount(expected: number | null, found: number): number | null {
  return expected === null ? null : Math.max(0, expected - found)
}

/**
 * Events that are missing in the log. In a file of an older version, numbers are also missing for other reasons; there,
 * only events that a database index refers to are returned.
 */
function lostEvents(
  last: number,
  found: ReadonlyMap<number, unknown>,
  purged: ReadonlySet<number>,
  traces: ReadonlyMap<number, LostEvent>,
  isCounted: boolean,
): LostEvent[] {
  const lost: LostEvent[] = []
  for (let seq = 1; seq <= last; seq++) {
    if (found.has(seq) || purged.has(seq)) continue
    const trace = traces.get(seq)
    if (trace !== undefined || isCounted) lost.push(trace ?? { seq, id: null, at: null, subject: null })
  }
  return lost
}

type Sealed<Row> = Row & { readonly seal?: number | null }
type BodyRow = {
  readonly id: string
  readonly seq: number
  readonly body: string
  readonly seal?: number | null
}

/** A range of event numbers that were purged or never assigned. */
type Gap = { readonly first: number; readonly last: number }

type CollectedRows = {
  readonly events: Map<string, EventRow>
  /** What SQLite's index of the log by subject still contains of events, by their numbers. */
  readonly traces: Map<number, LostEvent>
  /** Highest event numbers according to the counters: of SQLite (sqlite_sequence) and of the seals (sums). */
  readonly lastNumbers: number[]
  /** Number of rows of each sealed table according to `sums`. */
  readonly rows: Map<string, number>
  readonly gaps: Gap[]
  readonly projects: Map<string, ProjectRow>
  readonly marks: Map<string, ProjectMark>
  readonly bodies: Readonly<Record<"entries" | "entities" | "relations", Map<string, BodyRow>>>
  /** True once an event with its seal was found, so that the file's version has seals. */
  hasSeals: boolean
}

/** Assigns records to tables, by their form and by their seals. A seal matches for one table only. */
function classifyRecords(records: Iterable<RawRecord>): CollectedRows {
  const raw: CollectedRows = {
    events: new Map(),
    traces: new Map(),
    lastNumbers: [],
    rows: new Map(),
    gaps: [],
    projects: new Map(),
    marks: new Map(),
    bodies: { entries: new Map(), entities: new Map(), relations: new Map() },
    hasSeals: false,
  }
  for (const record of records) take(raw, record)
  return raw
}

function take(raw: CollectedRows, { rowid, values }: RawRecord): void {
  const seal = values.at(-1)
  if (rowid === null) takeIndexed(raw, values)
  else if (values[0] === null) takeNumbered(raw, rowid, values)
  else if (values.length === 2 && values[0] === "events" && typeof seal === "number")
    raw.lastNumbers.push(seal)
  else if (values.length === 4 && typeof seal === "number") {
    const [id, name, created] = values as string[]
    takeProject(raw.projects, { id: id!, name: name!, created: created!, seal })
  }
  if (rowid !== null && typeof seal === "number") takeBody(raw, values, seal)
}

/** Adds a record of a table whose first column is the row id (stored as null): an event or a gap. */
function takeNumbered(raw: CollectedRows, seq: number, values: RawRecord["values"]): void {
  if (values.length === 2 && typeof values[1] === "number") raw.gaps.push({ first: seq, last: values[1] })
  const [, id, at, subject, type, body] = values as string[]
  if ((values.length !== 6 && values.length !== 7) || !INSTANT.test(String(at))) return
  const seal = values.length === 7 ? (values[6] as number | null) : null
  const row = { seq, id: id!, at: at!, subject: subject!, type: type!, body: body! }
  takeEvent(raw.events, { ...row, seal }, seal !== null)
  if (seal !== null && raw.events.has(row.id)) raw.hasSeals = true
}

/**
 * Adds a record of a table without row ids, or of a database index: a project mark, the counts of a table, or an entry
 * of the log's index by subject. Counts have a number second, log entries an instant third.
 */
function takeIndexed(raw: CollectedRows, values: RawRecord["values"]): void {
  const last = values[3]
  if (values.length !== 4 || typeof last !== "number") return
  const [first, second, third] = values as string[]
  if (typeof values[1] === "number") takeCounts(raw, first!, values[1], last)
  else if (INSTANT.test(String(second)))
    raw.traces.set(last, { seq: last, subject: first!, at: second!, id: third! })
  else takeMark(raw.marks, { kind: first as MarkKind, value: second!, project: third!, seal: last })
}

/** Adds a row of `sums`. An old copy on a page that is no longer used has lower numbers. */
function takeCounts(raw: CollectedRows, table: string, rows: number, last: number): void {
  if (!(SEALED_TABLES as readonly string[]).includes(table)) return
  raw.rows.set(table, Math.max(rows, raw.rows.get(table) ?? 0))
  if (table === "events") raw.lastNumbers.push(last)
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

function areTexts(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === "string")
}

/** Adds a row of a derived table. Its id, at position `at`, is followed by the event number; it ends with `body, seal`. */
function takeBody(raw: CollectedRows, values: RawRecord["values"], seal: number): void {
  const body = values.at(-2)
  if (typeof body !== "string") return
  for (const [table, columns, at] of DERIVED) {
    if (values.length !== columns) continue
    const [id, seq] = values.slice(at) as [string, number]
    if (seal !== sealOf(table, [id, seq, body])) continue
    const known = raw.bodies[table].get(id)
    if (known === undefined || known.seq < seq) raw.bodies[table].set(id, { id, seq, body, seal })
  }
}

/** The derived tables, with the number of their columns and the position of the id. */
const DERIVED = [
  ["entries", 22, 1],
  ["entities", 7, 0],
  ["relations", 5, 0],
] as const

function takeEvent(events: Map<string, EventRow>, row: Sealed<EventRow>, isSealed: boolean): void {
  const { seq, id, at, subject, type, body, seal } = row
  if (!areTexts([id, at, subject, type, body])) return
  const isUnsealed = !isSealed || seal === null || seal === undefined
  if (isUnsealed ? events.has(id) : seal !== sealOf("events", [seq, id, at, subject, type, body])) return
  events.set(id, { seq, id, at, subject, type, body })
}

function takeProject(
  projects: Map<string, ProjectRow>,
  { id, name, created, seal }: Sealed<ProjectRow>,
): void {
  if (!areTexts([id, name, created])) return
  if (typeof seal === "number" && seal !== sealOf("projects", [id, name, created])) return
  projects.set(id, { id, name, created })
}

const KINDS: readonly MarkKind[] = [...MARK_KINDS, "folder"]

function takeMark(
  marks: Map<string, ProjectMark>,
  { kind, value, project, seal }: Sealed<ProjectMark>,
): void {
  if (!areTexts([kind, value, project]) || !(KINDS as readonly string[]).includes(kind)) return
  if (typeof seal === "number" && seal !== sealOf("project_marks", [kind, value, project])) return
  marks.set(JSON.stringify([kind, value, project]), { kind, value, project })
}

/** For each id, the body with the highest event number. Rows whose seal does not match are ignored. */
function newest(
  table: SealedTable,
  raw: ReadonlyMap<string, BodyRow>,
  rows: readonly BodyRow[],
): Map<string, string> {
  const found = new Map(raw)
  for (const row of rows) {
    if (typeof row.seal === "number" && row.seal !== sealOf(table, [row.id, row.seq, row.body])) continue
    const known = found.get(row.id)
    if (known === undefined || known.seq < row.seq) found.set(row.id, row)
  }
  return new Map([...found].map(([id, { body }]) => [id, body]))
}

/** Reads each row by its number, up to the highest known number. A table scan would stop at the first damaged page. */
function byNumber<Row>(db: Database, table: string, number: string, max = 10_000_000): Row[] {
  const found: Row[] = []
  const last = Math.min(highest(db, table, number), max)
  const find = readOrUndefined(() => db.query<Row, [number]>(`SELECT * FROM ${table} WHERE ${number} = ?`))
  for (let at = 1; find && at <= last; at++) {
    const row = readOrUndefined(() => find.get(at))
    if (row !== undefined && row !== null) found.push(row)
  }
  return found
}

function highest(db: Database, table: string, number: string): number {
  const last = readOrUndefined(
    () => db.query<{ last: number | null }, []>(`SELECT max(${number}) AS last FROM ${table}`).get()?.last,
  )
  return Math.max(assigned(db, table), last ?? 0)
}

/** The highest number that SQLite assigned in a table; 0 if it numbers none or that cannot be read. */
function assigned(db: Database, table: string): number {
  const query = () =>
    db.query<{ seq: number }, [string]>("SELECT seq FROM sqlite_sequence WHERE name = ?").get(table)
  return readOrUndefined(query)?.seq ?? 0
}

/** Number of rows that a table should have; null if that cannot be read. */
function countOf(db: Database, raw: CollectedRows, table: SealedTable): number | null {
  const query = () =>
    db.query<{ n: number }, [string]>('SELECT "rows" AS n FROM sums WHERE name = ?').get(table)
  return readOrUndefined(query)?.n ?? raw.rows.get(table) ?? null
}

/** The result of `read`; undefined if it throws because pages that it needs are damaged. */
function readOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
