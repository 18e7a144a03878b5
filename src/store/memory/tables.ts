import type { Database, Statement } from "bun:sqlite"
import {
  addSeal,
  compareSums,
  damagedStore,
  hasTable,
  isSealed,
  SEALED_COLUMNS,
  SealedBodies,
  type SealedTable,
  sealOf,
  sealSum,
} from "./seal.ts"

/**
 * An entry. `body` is the entry as JSON; the other columns are copies for filters. Times include the time of day; a
 * date without one is stored as the start of that day.
 */
export type EntryRow = {
  readonly id: string
  /** Number of the last event that changed the entry. */
  readonly seq: number
  readonly project: string | null
  /** The topic in lower case, so that it can be compared. */
  readonly topic: string
  readonly kind: string
  readonly key: string | null
  readonly author: string | null
  readonly role: string | null
  readonly session: string | null
  readonly ordinal: number | null
  readonly path: string | null
  readonly recordedAt: string
  readonly revisedAt: string
  readonly validFrom: string | null
  readonly validUntil: string | null
  readonly supersededAt: string | null
  readonly supersededBy: string | null
  readonly deletedAt: string | null
  readonly textHash: string
  readonly body: string
  readonly tags: readonly string[]
  /** Names of entities, normalized so that they can be compared. */
  readonly entities: readonly string[]
  /** Similarity hashes; texts that are nearly the same share some of them. Empty for an entry that is no longer valid. */
  readonly likeness: readonly number[]
}

/**
 * A filter. An entry matches if its topic and session are in the lists that are given, and if it has the tag, if
 * one is given. Topics are in lower case.
 */
type Narrowing = {
  readonly topics?: readonly string[] | undefined
  readonly sessions?: readonly string[] | undefined
  readonly tag?: string | undefined
}

/** Filters that the columns can apply; an absent one selects all. Times are instants. */
export type ColumnFilter = {
  readonly projects?: readonly (string | null)[] | undefined
  readonly kinds?: readonly string[] | undefined
  readonly roles?: readonly string[] | undefined
  readonly deleted: boolean
  readonly validAt?: string | undefined
  readonly recordedSince?: string | undefined
  readonly recordedBefore?: string | undefined
}

/** One page of the matching bodies, and the number of all matching entries. */
type BodyPage = { readonly bodies: readonly string[]; readonly total: number }

export type SessionRow = {
  readonly session: string
  readonly project: string | null
  readonly entries: number
  /** When the session's first and last entry were recorded. */
  readonly first: string
  readonly last: string
}

export class EntriesTable {
  readonly #db: Database
  readonly #bodies: SealedBodies
  readonly #put: Statement<{ row: number }, (string | number | null)[]>
  readonly #untag: Statement
  readonly #tag: Statement
  readonly #unlink: Statement
  readonly #link: Statement
  readonly #forget: Statement
  readonly #unread: Statement
  readonly #resemble: Statement

  constructor(db: Database) {
    this.#db = db
    this.#bodies = new SealedBodies(db, "entries")
    this.#put = db.query(PUT)
    this.#unread = db.query("DELETE FROM entry_readings WHERE entry = ?")
    this.#untag = db.query("DELETE FROM entry_tags WHERE entry = ?")
    this.#tag = db.query("INSERT OR IGNORE INTO entry_tags (tag, entry) VALUES (?, ?)")
    this.#unlink = db.query("DELETE FROM entry_entities WHERE entry = ?")
    this.#link = db.query("INSERT OR IGNORE INTO entry_entities (name, entry) VALUES (?, ?)")
    this.#forget = db.query("DELETE FROM entry_likeness WHERE entry = ?")
    this.#resemble = db.query("INSERT OR IGNORE INTO entry_likeness (entry, key) VALUES (?, ?)")
  }

  put(row: EntryRow): void {
    const { row: number } = this.#put.get(
      ...[row.id, row.seq, row.project, row.topic, row.kind, row.key, row.author, row.role, row.session],
      ...[row.ordinal, row.path, row.recordedAt, row.revisedAt, row.validFrom, row.validUntil],
      ...[row.supersededAt, row.supersededBy, row.deletedAt, row.textHash, row.body],
      sealOf("entries", [row.id, row.seq, row.body]),
    )!
    this.#clean(row.id, number)
    // The order of two entries, or whether one still holds, may have changed: it is read again.
    this.#unread.run(row.id)
    for (const tag of row.tags) this.#tag.run(tag, row.id)
    for (const name of row.entities) this.#link.run(name, row.id)
    for (const key of row.likeness) this.#resemble.run(number, key)
  }

  remove(id: string): void {
    const removed = this.#db
      .query<{ row: number }, [string]>("DELETE FROM entries WHERE id = ? RETURNING row")
      .get(id)
    if (removed !== null) this.#clean(id, removed.row)
    this.#db.query("DELETE FROM entry_vectors WHERE entry = ?").run(id)
    this.#unread.run(id)
    // A pair has a hash of both texts.
    this.#db.query("DELETE FROM entry_pairs WHERE older = ?1 OR newer = ?1").run(id)
  }

  /**
   * Number of entries, including deleted ones. It is read from the stored counts, if the file has them, without reading
   * rows.
   */
  count(): number {
    const sum = sealSum(this.#db, "entries")
    return sum?.rows ?? this.#db.query<{ n: number }, []>("SELECT count(*) AS n FROM entries").get()!.n
  }

  /** Bodies of at most `limit` entries whose ids come after `id`, in the order of ids. */
  following(id: string, limit: number): string[] {
    return this.#bodies.where("id > ? ORDER BY id LIMIT ?", id, limit)
  }

  /**
   * Bodies of the entries with these ids, and of those that contain one of `texts` (ASCII letters and digits), in any
   * case. Bodies in which other characters or underscores may hide such a text are included, too.
   */
  containing(texts: readonly string[], ids: readonly string[]): string[] {
    const found = texts.map(() => "body LIKE ?")
    const hiding = ["instr(body, '_') > 0", "length(CAST(body AS BLOB)) <> length(body)"]
    return this.#bodies.where(
      [...found, ...hiding, "id IN (SELECT value FROM json_each(?))"].join(" OR "),
      ...texts.map((text) => `%${text}%`),
      JSON.stringify(ids),
    )
  }

  /** The body of the entry; null if there is none. */
  get(id: string): string | null {
    return this.#bodies.where("id = ?", id)[0] ?? null
  }

  /** All topics or keys, as they are stored: those of a project, or of all projects if it is absent. */
  names(column: "topic" | "key", project?: string | null): string[] {
    const all = `SELECT DISTINCT ${column} AS name FROM entries WHERE ${column} IS NOT NULL`
    // A row is read for each name, not for each entry, because only the index is read for the names.
    const own = `SELECT name FROM (${all}) WHERE EXISTS (SELECT 1 FROM entries WHERE ${column} = name AND project IS ?1)`
    return this.#db
      .query<{ name: string }, (string | null)[]>(`${project === undefined ? all : own} ORDER BY name`)
      .all(...(project === undefined ? [] : [project]))
      .map(({ name }) => name)
  }

  /** A topic, given in lower case, as it is written in the first entry of the project that has it. */
  spelling(project: string | null, topic: string): string {
    const row = this.#db
      .query<{ name: string }, [string, string | null]>(
        `SELECT body ->> '$.topic' AS name FROM entries
         WHERE id = (SELECT min(id) FROM entries WHERE topic = ? AND project IS ?)`,
      )
      .get(topic, project)
    return row?.name ?? topic
  }

  /** Bodies of the entries with this key, including deleted and superseded ones. */
  withKey(project: string | null, key: string): string[] {
    return this.#bodies.where("key = ?1 AND project IS ?2 ORDER BY id", key, project)
  }

  /** Bodies of the entries of a topic whose text has this hash. */
  withText(project: string | null, topic: string, textHash: string): string[] {
    return this.#bodies.where(
      "topic = ?1 AND text_hash = ?3 AND project IS ?2 ORDER BY id",
      topic,
      project,
      textHash,
    )
  }

  /** Bodies of the entries that share similarity hashes with `likeness`; those with the most shared hashes first. */
  sharing(likeness: readonly number[], limit: number): string[] {
    return this.#bodies.of(
      `(SELECT entry, count(*) AS shared FROM entry_likeness
         WHERE key IN (SELECT value FROM json_each(?1)) GROUP BY entry ORDER BY shared DESC, entry LIMIT ?2
       ) AS s JOIN entries AS e ON e.row = s.entry`,
      JSON.stringify(likeness),
      limit,
    )
  }

  /** Bodies of the entries that changed after event number `seq`, in the order of their changes; 0 returns all. */
  after(seq: number): string[] {
    return seq === 0 ? this.#bodies.all("seq, id") : this.#bodies.where("seq > ? ORDER BY seq, id", seq)
  }

  /**
   * Bodies of the entries that may match the filter, in the order in which they were recorded. A small store returns
   * all bodies, because only a read of the whole table detects rows that a damaged database index omits.
   */
  select({ topics, sessions, tag }: Narrowing = {}): string[] {
    const conditions = [
      ...inList("topic", topics),
      ...inList("session", sessions),
      ...(tag === undefined ? [] : [["id IN (SELECT entry FROM entry_tags WHERE tag = ?)", tag] as const]),
    ]
    const isSmall = (sealSum(this.#db, "entries")?.rows ?? 0) <= MAX_READ_WHOLE
    if (conditions.length === 0 || isSmall) return this.#bodies.all("recorded_at, id")
    return this.#bodies.where(
      `${conditions.map(([sql]) => sql).join(" AND ")} ORDER BY recorded_at, id`,
      ...conditions.map(([, parameter]) => parameter),
    )
  }

  /**
   * One page of the entries that match, by the time at which they were recorded. Null in a small store, and if rows are
   * missing: then all bodies must be read, which detects every damage.
   */
  page(filter: ColumnFilter, isNewestFirst: boolean, limit: number, offset: number): BodyPage | null {
    const expected = sealSum(this.#db, "entries")?.rows ?? 0
    if (expected <= MAX_READ_WHOLE) return null
    const conditions = columnConditions(filter)
    const where = conditions.map(([sql]) => sql).join(" AND ")
    const parameters = conditions.flatMap(([, ...values]) => values)
    const { rows, total } = this.#db
      .query<{ rows: number; total: number }, string[]>(
        `SELECT count(*) AS rows, count(*) FILTER (WHERE ${where}) AS total FROM entries`,
      )
      .get(...parameters)!
    if (rows !== expected) return null
    const direction = isNewestFirst ? "DESC" : "ASC"
    const order = `ORDER BY recorded_at ${direction}, id ${direction} LIMIT ? OFFSET ?`
    return { bodies: this.#bodies.where(`${where} ${order}`, ...parameters, limit, offset), total }
  }

  /** Sessions with entries that are not deleted. The session with the latest entry comes first. */
  sessions(): SessionRow[] {
    return this.#db
      .query<SessionRow, []>(
        `SELECT session, project, count(*) AS entries, min(recorded_at) AS first, max(recorded_at) AS last
         FROM entries WHERE session IS NOT NULL AND deleted_at IS NULL GROUP BY session, project
         ORDER BY last DESC, session, project`,
      )
      .all()
  }

  /** The highest ordinal in a session; 0 for a new session. */
  lastOrdinal(session: string): number {
    const row = this.#db
      .query<{ last: number | null }, [string]>("SELECT max(ordinal) AS last FROM entries WHERE session = ?")
      .get(session)
    return row?.last ?? 0
  }

  #clean(id: string, row: number): void {
    this.#forget.run(row)
    this.#untag.run(id)
    this.#unlink.run(id)
  }
}

/** In a store of up to this many entries, the whole table is read. Reading them and checking their seals takes some 10 ms. */
const MAX_READ_WHOLE = 2_000

const PUT = `INSERT INTO entries
  (id, seq, project, topic, kind, key, author, role, session, ordinal, path, recorded_at, revised_at, valid_from,
   valid_until, superseded_at, superseded_by, deleted_at, text_hash, body, seal)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, project = excluded.project, topic = excluded.topic,
    kind = excluded.kind, key = excluded.key, author = excluded.author, role = excluded.role,
    session = excluded.session, ordinal = excluded.ordinal, path = excluded.path,
    recorded_at = excluded.recorded_at, revised_at = excluded.revised_at, valid_from = excluded.valid_from,
    valid_until = excluded.valid_until, superseded_at = excluded.superseded_at,
    superseded_by = excluded.superseded_by, deleted_at = excluded.deleted_at, text_hash = excluded.text_hash,
    body = excluded.body, seal = excluded.seal
  RETURNING row`

function columnConditions(filter: ColumnFilter): [sql: string, ...parameters: string[]][] {
  const { projects, kinds, roles, deleted, validAt, recordedSince, recordedBefore } = filter
  const conditions: [string, ...string[]][] = [
    [`deleted_at IS ${deleted ? "NOT NULL" : "NULL"}`],
    ...inList("kind", kinds),
    ...inList("role", roles),
  ]
  if (projects !== undefined) {
    const [[sql, parameter]] = inList(
      "project",
      projects.filter((id) => id !== null),
    ) as [[string, string]]
    conditions.push([projects.includes(null) ? `(${sql} OR project IS NULL)` : sql, parameter])
  }
  if (validAt !== undefined)
    conditions.push(
      ["coalesce(valid_from, recorded_at) <= ?", validAt],
      ["coalesce(valid_until, superseded_at, '~') > ?", validAt],
    )
  if (recordedSince !== undefined) conditions.push(["recorded_at >= ?", recordedSince])
  if (recordedBefore !== undefined) conditions.push(["recorded_at < ?", recordedBefore])
  return conditions
}

function inList(column: string, values: readonly string[] | undefined): [sql: string, parameter: string][] {
  if (values === undefined) return []
  // Lone surrogates are replaced, as in the stored columns, because JSON would encode them as other characters.
  return [
    [
      `${column} IN (SELECT value FROM json_each(?))`,
      JSON.stringify(values.map((value) => value.toWellFormed())),
    ],
  ]
}

export type EntityRow = {
  readonly id: string
  readonly seq: number
  readonly project: string | null
  readonly mergedInto: string | null
  readonly deletedAt: string | null
  /** The entity as JSON. */
  readonly body: string
  /** Name and aliases, normalized so that they can be compared. */
  readonly names: readonly string[]
}

export class EntitiesTable {
  readonly #db: Database
  readonly #bodies: SealedBodies

  constructor(db: Database) {
    this.#db = db
    this.#bodies = new SealedBodies(db, "entities")
  }

  put({ id, seq, project, mergedInto, deletedAt, body, names }: EntityRow): void {
    this.#db
      .query(
        `INSERT INTO entities (id, seq, project, merged_into, deleted_at, body, seal)
         VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, project = excluded.project,
           merged_into = excluded.merged_into, deleted_at = excluded.deleted_at, body = excluded.body,
           seal = excluded.seal`,
      )
      .run(id, seq, project, mergedInto, deletedAt, body, sealOf("entities", [id, seq, body]))
    this.#db.query("DELETE FROM entity_names WHERE entity = ?").run(id)
    const add = this.#db.query("INSERT OR IGNORE INTO entity_names (name, entity) VALUES (?, ?)")
    for (const name of names) add.run(name, id)
  }

  remove(id: string): void {
    this.#db.query("DELETE FROM entities WHERE id = ?").run(id)
    this.#db.query("DELETE FROM entity_names WHERE entity = ?").run(id)
  }

  get(id: string): string | null {
    return this.#bodies.where("id = ?", id)[0] ?? null
  }

  /** Bodies of the entities with this name or alias, including deleted and merged ones. */
  named(name: string): string[] {
    return this.#bodies.where("id IN (SELECT entity FROM entity_names WHERE name = ?) ORDER BY id", name)
  }

  /** Bodies of entities that changed after event number `seq`; 0 returns all. */
  after(seq: number): string[] {
    return seq === 0 ? this.#bodies.all("id") : this.#bodies.where("seq > ? ORDER BY id", seq)
  }
}

export type RelationRow = {
  readonly id: string
  readonly seq: number
  readonly deletedAt: string | null
  /** The relation as JSON. */
  readonly body: string
}

export class RelationsTable {
  readonly #db: Database
  readonly #bodies: SealedBodies

  constructor(db: Database) {
    this.#db = db
    this.#bodies = new SealedBodies(db, "relations")
  }

  put({ id, seq, deletedAt, body }: RelationRow): void {
    this.#db
      .query(
        `INSERT INTO relations (id, seq, deleted_at, body, seal) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, deleted_at = excluded.deleted_at, body = excluded.body,
           seal = excluded.seal`,
      )
      .run(id, seq, deletedAt, body, sealOf("relations", [id, seq, body]))
  }

  remove(id: string): void {
    this.#db.query("DELETE FROM relations WHERE id = ?").run(id)
  }

  get(id: string): string | null {
    return this.#bodies.where("id = ?", id)[0] ?? null
  }

  /** Bodies of relations that changed after event number `seq`; 0 returns all. */
  after(seq: number): string[] {
    return seq === 0 ? this.#bodies.all("id") : this.#bodies.where("seq > ? ORDER BY id", seq)
  }
}

export type EventRow = {
  readonly seq: number
  readonly id: string
  /** Time of the event as an ISO instant. */
  readonly at: string
  readonly subject: string
  readonly type: string
  /** The data of the event as JSON. */
  readonly body: string
}

type SealedRow = EventRow & { readonly seal: number | null }

const COLUMNS = SEALED_COLUMNS.events.join(", ")

/** The append-only event log; only a purge removes events. Reading a row that was altered throws KNOWLEDGE_CORRUPT. */
export class EventsTable {
  readonly #db: Database
  #hasSeals: boolean | null = null

  constructor(db: Database) {
    this.#db = db
  }

  /** Appends an event; false if the log already contains its id. Call it inside a transaction. */
  add({ id, at, subject, type, body }: Omit<EventRow, "seq">): boolean {
    if (this.#db.query("SELECT 1 FROM events WHERE id = ?").get(id) !== null) return false
    // The number is computed here, because SQLite's own numbers have gaps, and a missing number must mean a lost event.
    const seq = this.#highestSeq() + 1
    this.#db
      .query("INSERT INTO events (seq, id, at, subject, type, body, seal) VALUES (?, ?, ?, ?, ?, ?, ?)")
      .run(seq, id, at, subject, type, body, sealOf("events", [seq, id, at, subject, type, body]))
    return true
  }

  /** The events of a subject in the order in which they are folded: by time, then by id. */
  ofSubject(subject: string): EventRow[] {
    return this.#read("WHERE subject = ? ORDER BY at, id", subject)
  }

  /** The event of a subject that is folded last; null if the subject has none. */
  lastOf(subject: string): Pick<EventRow, "at" | "id"> | null {
    return this.#db
      .query<Pick<EventRow, "at" | "id">, [string]>(
        "SELECT at, id FROM events WHERE subject = ? ORDER BY at DESC, id DESC LIMIT 1",
      )
      .get(subject)
  }

  isPurged(subject: string): boolean {
    const row = this.#db
      .query<{ n: number }, [string]>(
        "SELECT 1 AS n FROM events WHERE subject = ? AND type = 'purged' LIMIT 1",
      )
      .get(subject)
    return row !== null
  }

  /** Events with a number above `seq`, in the order in which they were added. A negative limit means all. */
  after(seq: number, limit = -1): EventRow[] {
    return this.#read("WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit)
  }

  /** Events at these instants. */
  at(instants: readonly string[]): EventRow[] {
    return this.#read("WHERE at IN (SELECT value FROM json_each(?))", JSON.stringify(instants))
  }

  /** Events at or after an instant, in order of time. */
  since(at: string): EventRow[] {
    return this.#read("WHERE at >= ? ORDER BY at, id", at)
  }

  /** Events up to and including an instant, in order of time. */
  until(at: string): EventRow[] {
    return this.#read("WHERE at <= ? ORDER BY at, id", at)
  }

  /** Subjects that were purged by an event with a number above `seq`. */
  purgedAfter(seq: number): string[] {
    return this.#db
      .query<{ subject: string }, [number]>(
        "SELECT DISTINCT subject FROM events WHERE type = 'purged' AND seq > ?",
      )
      .all(seq)
      .map((row) => row.subject)
  }

  subjects(): string[] {
    return this.#db
      .query<{ subject: string }, []>("SELECT DISTINCT subject FROM events")
      .all()
      .map((row) => row.subject)
  }

  /** The highest event number in the log; 0 if it is empty. */
  lastSeq(): number {
    if (!this.#isSealed()) return this.#highest("SELECT max(seq) AS seq, NULL AS last FROM events").seq
    const { seq, last } = this.#highest(
      "SELECT (SELECT max(seq) FROM events) AS seq, (SELECT last FROM sums WHERE name = 'events') AS last",
    )
    // The end of the log may be missing because of a purge. Otherwise events were lost, and a reader that asks for
    // events after a number would miss new ones.
    if (seq !== last && this.#db.query("SELECT 1 FROM gaps WHERE last = ?").get(last) === null)
      throw damagedStore(`the log ends with event ${seq}, but ${last} were written`)
    return seq
  }

  count(): number {
    return this.#db.query<{ n: number }, []>("SELECT count(*) AS n FROM events").get()!.n
  }

  /** Deletes all events of a subject except its 'purged' events. No other function removes events. */
  purge(subject: string): void {
    this.#db.query("INSERT INTO purging (subject) VALUES (?)").run(subject)
    this.#db.query("DELETE FROM events WHERE subject = ? AND type <> 'purged'").run(subject)
    this.#db.query("DELETE FROM purging").run()
  }

  /** The highest number that was ever assigned, including the numbers of purged events. */
  #highestSeq(): number {
    return this.#db
      .query<{ seq: number }, []>(
        `SELECT max(coalesce((SELECT max(seq) FROM events), 0), coalesce((SELECT last FROM sums WHERE name = 'events'), 0),
           coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)) AS seq`,
      )
      .get()!.seq
  }

  #read(clauses: string, ...values: (string | number)[]): EventRow[] {
    const seal = this.#isSealed() ? "seal" : "NULL AS seal"
    const rows = this.#db
      .query<SealedRow, typeof values>(`SELECT ${COLUMNS}, ${seal} FROM events ${clauses}`)
      .all(...values)
    return rows.map(({ seal, ...row }) => {
      const { seq, id, at, subject, type, body } = row
      if (!isSealed("events", [seq, id, at, subject, type, body], seal))
        throw damagedStore(`event ${seq} was altered`)
      return row
    })
  }

  #isSealed(): boolean {
    this.#hasSeals ??= hasTable(this.#db, "sums")
    return this.#hasSeals
  }

  /** `seq` is the highest event number in the log, `last` the highest one that was written according to the stored counts. */
  #highest(sql: string): { readonly seq: number; readonly last: number | null } {
    const row = this.#db.query<{ seq: number | null; last: number | null }, []>(sql).get()!
    return { seq: row.seq ?? 0, last: row.last }
  }
}

/** A project. It is stored outside the log and included in exports, because entries refer to it by id only. */
export type ProjectRow = { readonly id: string; readonly name: string; readonly created: string }

/** The kinds of marks that an export may contain. */
export const MARK_KINDS = ["root-commit", "remote", "path"] as const
/** A mark of kind "folder" identifies the folder that the file system has at a path; see `folderMark`. */
export type MarkKind = (typeof MARK_KINDS)[number] | "folder"

/** A mark by which a project is recognized. Marks of kind path and folder are valid on this machine only. */
export type ProjectMark = { readonly project: string; readonly kind: MarkKind; readonly value: string }

export class ProjectsTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  all(): ProjectRow[] {
    return this.#whole("projects", "id, name, created", "created, id").map(([id, name, created]) => ({
      id,
      name,
      created,
    }))
  }

  get(id: string): ProjectRow | null {
    return this.#db.query<ProjectRow, [string]>("SELECT id, name, created FROM projects WHERE id = ?").get(id)
  }

  /** Adds a project. False, without a change, if the id exists already. */
  add({ id, name, created }: ProjectRow): boolean {
    const { changes } = this.#db
      .query("INSERT INTO projects (id, name, created, seal) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING")
      .run(id, name, created, sealOf("projects", [id, name, created]))
    return changes > 0
  }

  rename(id: string, name: string): void {
    const known = this.get(id)
    if (known === null) return
    this.#db
      .query("UPDATE projects SET name = ?, seal = ? WHERE id = ?")
      .run(name, sealOf("projects", [id, name, known.created]), id)
  }

  /** Removes a project with its marks. Entries that refer to it stay unchanged. */
  remove(id: string): void {
    this.#db.query("DELETE FROM project_marks WHERE project = ?").run(id)
    this.#db.query("DELETE FROM projects WHERE id = ?").run(id)
  }

  marks(project?: string): ProjectMark[] {
    const marks = this.#whole("project_marks", "kind, value, project", "project, kind, value")
    return marks.flatMap(([kind, value, id]) =>
      project === undefined || id === project ? [{ project: id, kind: kind as MarkKind, value }] : [],
    )
  }

  /** Ids of the projects with this mark. Several projects may have it, for example forks. */
  withMark(kind: MarkKind, value: string): string[] {
    return this.marks()
      .filter((mark) => mark.kind === kind && mark.value === value)
      .map((mark) => mark.project)
  }

  mark({ project, kind, value }: ProjectMark): void {
    this.#db
      .query("INSERT OR IGNORE INTO project_marks (project, kind, value, seal) VALUES (?, ?, ?, ?)")
      .run(project, kind, value, sealOf("project_marks", [kind, value, project]))
  }

  unmark({ project, kind, value }: ProjectMark): void {
    this.#db
      .query("DELETE FROM project_marks WHERE project = ? AND kind = ? AND value = ?")
      .run(project, kind, value)
  }

  /**
   * All rows of a table, checked against their seals. Without this check, a lost mark would mean that a project's
   * entries are not found, and nobody would notice.
   */
  #whole(table: SealedTable, columns: string, order: string): [string, string, string][] {
    const read = () => {
      const expected = sealSum(this.#db, table)
      const sql = `SELECT ${columns}, ${expected === null ? "NULL" : "seal"} FROM ${table} ORDER BY ${order}`
      const rows = this.#db.query<never, []>(sql).values() as [string, string, string, number | null][]
      let seals = 0
      for (const [a, b, c, seal] of rows) {
        if (!isSealed(table, [a, b, c], seal)) throw damagedStore(`a row of ${table} was altered`)
        seals = addSeal(seals, seal)
      }
      if (expected !== null) compareSums(table, { rows: rows.length, seals }, expected)
      return rows.map(([a, b, c]): [string, string, string] => [a, b, c])
    }
    // One transaction, so that the rows and the table's stored count and checksum are those of one moment.
    return this.#db.inTransaction ? read() : this.#db.transaction(read).deferred()
  }
}
