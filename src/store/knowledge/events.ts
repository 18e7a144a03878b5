import type { Database } from "bun:sqlite"

export type EventRow = {
  readonly seq: number
  readonly id: string
  /** ISO instant. */
  readonly at: string
  readonly subject: string
  readonly type: string
  /** JSON. */
  readonly body: string
}

const COLUMNS = "seq, id, at, subject, type, body"

/** The log: what is in it stays as it is, but for a purge. */
export class EventsTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** False where the id is known already. */
  add({ id, at, subject, type, body }: Omit<EventRow, "seq">): boolean {
    const { changes } = this.#db
      .query(
        "INSERT INTO events (id, at, subject, type, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
      )
      .run(id, at, subject, type, body)
    return changes > 0
  }

  /** Sorted by time, then id: the order in which they are folded. */
  ofSubject(subject: string): EventRow[] {
    return this.#db
      .query<EventRow, [string]>(`SELECT ${COLUMNS} FROM events WHERE subject = ? ORDER BY at, id`)
      .all(subject)
  }

  /** When something last happened to it; null: never. */
  lastAt(subject: string): string | null {
    const row = this.#db
      .query<{ at: string }, [string]>("SELECT at FROM events WHERE subject = ? ORDER BY at DESC LIMIT 1")
      .get(subject)
    return row?.at ?? null
  }

  isPurged(subject: string): boolean {
    const row = this.#db
      .query<{ n: number }, [string]>(
        "SELECT 1 AS n FROM events WHERE subject = ? AND type = 'purged' LIMIT 1",
      )
      .get(subject)
    return row !== null
  }

  /** In order of arrival. */
  after(seq: number, limit = -1): EventRow[] {
    return this.#db
      .query<EventRow, [number, number]>(`SELECT ${COLUMNS} FROM events WHERE seq > ? ORDER BY seq LIMIT ?`)
      .all(seq, limit)
  }

  /** What happened from that instant on, in order of time. */
  since(at: string): EventRow[] {
    return this.#db
      .query<EventRow, [string]>(`SELECT ${COLUMNS} FROM events WHERE at >= ? ORDER BY at, id`)
      .all(at)
  }

  /** What happened up to that instant, in order of time. */
  until(at: string): EventRow[] {
    return this.#db
      .query<EventRow, [string]>(`SELECT ${COLUMNS} FROM events WHERE at <= ? ORDER BY at, id`)
      .all(at)
  }

  /** Subjects of which all was purged after that number. */
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

  /** 0 in an empty log; never falls. */
  lastSeq(): number {
    return this.#db.query<{ seq: number | null }, []>("SELECT max(seq) AS seq FROM events").get()!.seq ?? 0
  }

  count(): number {
    return this.#db.query<{ n: number }, []>("SELECT count(*) AS n FROM events").get()!.n
  }

  /** The one way out of the log: all of a subject but its purges. */
  purge(subject: string): void {
    this.#db.query("INSERT INTO purging (subject) VALUES (?)").run(subject)
    this.#db.query("DELETE FROM events WHERE subject = ? AND type <> 'purged'").run(subject)
    this.#db.query("DELETE FROM purging").run()
  }
}
