import type { Database, Statement } from "bun:sqlite"
import { sealOf, sealSum } from "./seal.ts"
import { SealedBodies } from "./sealed-bodies.ts"

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
  /**
   * Similarity hashes; texts that are nearly the same share some of them. Empty for an entry that is no longer valid.
   */
  readonly likeness: readonly number[]
}

/**
 * A filter. An entry matches if its topic, session and key are in the lists that are given, and if it has the tag, if
 * one is given. Topics are in lower case.
 */
export type Narrowing = {
  readonly topics?: readonly string[] | undefined
  readonly sessions?: readonly string[] | undefined
  readonly keys?: readonly string[] | undefined
  readonly tag?: string | undefined
}

/** Filters that the columns can apply; an absent one selects all. Times are instants. */
export type ColumnFilter = {
  readonly projects?: readonly (string | null)[] | undefined
  readonly kinds?: readonly string[] | undefined
  readonly roles?: readonly string[] | undefined
  readonly superseded?: boolean | undefined
  readonly deleted: boolean
  readonly validAt?: string | undefined
  readonly recordedSince?: string | undefined
  readonly recordedBefore?: string | undefined
}

/** One page of the matching bodies, and the number of all matching entries. */
export type BodyPage = { readonly bodies: readonly string[]; readonly total: number }

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
  readonly #resemble: Statement

  constructor(db: Database) {
    this.#db = db
    this.#bodies = new SealedBodies(db, "entries")
    this.#put = db.query(PUT)
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
  select({ topics, sessions, keys, tag }: Narrowing = {}): string[] {
    const conditions = [
      ...inList("topic", topics),
      ...inList("session", sessions),
      ...inList("key", keys),
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

/**
 * In a store of up to this many entries, the whole table is read. Reading them and checking their seals takes some 10
 * ms.
 */
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
  const { projects, kinds, roles, superseded, deleted, validAt, recordedSince, recordedBefore } = filter
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
  if (superseded !== undefined) conditions.push([`superseded_at IS ${superseded ? "NOT NULL" : "NULL"}`])
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
