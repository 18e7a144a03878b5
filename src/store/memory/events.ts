import type { Database } from "bun:sqlite"
import { damagedStore, hasSeals, isSealed, SEALED_COLUMNS, sealOf } from "./seal.ts"

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
    this.#hasSeals ??= hasSeals(this.#db)
    return this.#hasSeals
  }

  /**
   * `seq` is the highest event number in the log, `last` the highest one that was written according to the stored
   * counts.
   */
  #highest(sql: string): { readonly seq: number; readonly last: number | null } {
    const row = this.#db.query<{ seq: number | null; last: number | null }, []>(sql).get()!
    return { seq: row.seq ?? 0, last: row.last }
  }
}
