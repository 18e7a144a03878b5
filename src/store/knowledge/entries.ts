import type { Database, Statement } from "bun:sqlite"

/** Columns serve filters; `body` is the entry itself, as JSON. Instants are full: of a date, its first moment. */
export type EntryRow = {
  readonly id: string
  /** Number of the last event that touched it. */
  readonly seq: number
  readonly project: string | null
  /** As topics are compared: lower case. */
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
  /** Names as they are compared. */
  readonly entities: readonly string[]
  /** Hashes that those have of which it might be a near-duplicate; none of what no longer stands. */
  readonly likeness: readonly number[]
}

/** Topics as they are compared; entries have one of each list, and the tag. */
export type Narrowing = {
  readonly topics?: readonly string[] | undefined
  readonly sessions?: readonly string[] | undefined
  readonly keys?: readonly string[] | undefined
  readonly tag?: string | undefined
}

export type SessionRow = {
  readonly session: string
  readonly project: string | null
  readonly entries: number
  /** When the first and the last of them were recorded. */
  readonly first: string
  readonly last: string
}

export class EntriesTable {
  readonly #db: Database
  readonly #put: Statement<{ row: number }, (string | number | null)[]>
  readonly #untag: Statement
  readonly #tag: Statement
  readonly #unlink: Statement
  readonly #link: Statement
  readonly #forget: Statement
  readonly #resemble: Statement

  constructor(db: Database) {
    this.#db = db
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

  /** The body, or null. */
  get(id: string): string | null {
    return this.#body("SELECT body FROM entries WHERE id = ?", id)
  }

  /** Bodies of those that bear this key, whatever became of them. */
  withKey(project: string | null, key: string): string[] {
    return this.#bodies("SELECT body FROM entries WHERE key = ?1 AND project IS ?2 ORDER BY id", key, project)
  }

  /** Bodies of those of a topic with this text, by its hash. */
  withText(project: string | null, topic: string, textHash: string): string[] {
    return this.#bodies(
      "SELECT body FROM entries WHERE topic = ?1 AND text_hash = ?3 AND project IS ?2 ORDER BY id",
      topic,
      project,
      textHash,
    )
  }

  /** Bodies of those that share these hashes, who shares most first. */
  sharing(likeness: readonly number[], limit: number): string[] {
    return this.#bodies(
      `SELECT e.body FROM (
         SELECT entry, count(*) AS shared FROM entry_likeness
         WHERE key IN (SELECT value FROM json_each(?1)) GROUP BY entry ORDER BY shared DESC, entry LIMIT ?2
       ) AS s JOIN entries AS e ON e.row = s.entry`,
      JSON.stringify(likeness),
      limit,
    )
  }

  /** Bodies of what changed after that number, in order of change; 0: all. */
  after(seq: number): string[] {
    return this.#bodies("SELECT body FROM entries WHERE seq > ? ORDER BY seq, id", seq)
  }

  /** Bodies of what may be meant, in the order of recording. */
  select({ topics, sessions, keys, tag }: Narrowing = {}): string[] {
    const conditions = [
      ...inList("topic", topics),
      ...inList("session", sessions),
      ...inList("key", keys),
      ...(tag === undefined ? [] : [["id IN (SELECT entry FROM entry_tags WHERE tag = ?)", tag] as const]),
    ]
    const where = conditions.map(([sql]) => ` AND ${sql}`).join("")
    return this.#bodies(
      `SELECT body FROM entries WHERE TRUE${where} ORDER BY recorded_at, id`,
      ...conditions.map(([, parameter]) => parameter),
    )
  }

  /** Of what stands; the one that was added to last comes first. */
  sessions(): SessionRow[] {
    return this.#db
      .query<SessionRow, []>(
        `SELECT session, project, count(*) AS entries, min(recorded_at) AS first, max(recorded_at) AS last
         FROM entries WHERE session IS NOT NULL AND deleted_at IS NULL GROUP BY session, project
         ORDER BY last DESC, session, project`,
      )
      .all()
  }

  /** 0 in a new session. */
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

  #body(sql: string, ...parameters: (string | number | null)[]): string | null {
    return this.#bodies(sql, ...parameters)[0] ?? null
  }

  #bodies(sql: string, ...parameters: (string | number | null)[]): string[] {
    // As rows of values: objects would cost a third more.
    return (this.#db.query<never, typeof parameters>(sql).values(...parameters) as [string][]).map(
      ([body]) => body,
    )
  }
}

const PUT = `INSERT INTO entries
  (id, seq, project, topic, kind, key, author, role, session, ordinal, path, recorded_at, revised_at, valid_from,
   valid_until, superseded_at, superseded_by, deleted_at, text_hash, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, project = excluded.project, topic = excluded.topic,
    kind = excluded.kind, key = excluded.key, author = excluded.author, role = excluded.role,
    session = excluded.session, ordinal = excluded.ordinal, path = excluded.path,
    recorded_at = excluded.recorded_at, revised_at = excluded.revised_at, valid_from = excluded.valid_from,
    valid_until = excluded.valid_until, superseded_at = excluded.superseded_at,
    superseded_by = excluded.superseded_by, deleted_at = excluded.deleted_at, text_hash = excluded.text_hash,
    body = excluded.body
  RETURNING row`

function inList(column: string, values: readonly string[] | undefined): [sql: string, parameter: string][] {
  if (values === undefined) return []
  // As columns hold them: a lone surrogate would be another character here.
  return [
    [
      `${column} IN (SELECT value FROM json_each(?))`,
      JSON.stringify(values.map((value) => value.toWellFormed())),
    ],
  ]
}
