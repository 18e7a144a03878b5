import type { Database } from "bun:sqlite"
import { type FileInFolder, openFolderOf } from "../../base/index.ts"
import { openDatabase } from "../open-database.ts"
import { knowledgeError } from "../sqlite-error.ts"
import { BUSY_TIMEOUT_MS } from "./begin.ts"

/** An entry that the user shares with the team. */
export type OutboxEntry = {
  readonly subject: string
  readonly visibility: string
  readonly repository: string | null
  /** Number of the last event of the entry that the server has; 0 if it has none. */
  readonly sentSeq: number
  /** Why the server refused the entry; null if it did not refuse it. */
  readonly problem: string | null
}

/** A project all of whose entries are shared. */
type SharedProject = {
  readonly project: string
  readonly visibility: string
  readonly repository: string | null
  /** Entries whose number in the log is at most this one have been added to the outbox. */
  readonly seenSeq: number
}

/** The state of this machine's copy of the team's memory. */
export type CopyState = {
  /** Name of the copy's file. */
  readonly file: string
  /** The user (principal) whose view of the team's memory the copy contains. */
  readonly principal: string
  /** The server's name for the place after the last event that was received; "" before the first one. */
  readonly place: string
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS entries (
    subject TEXT PRIMARY KEY, visibility TEXT NOT NULL, repository TEXT, sentSeq INTEGER NOT NULL DEFAULT 0, problem TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS projects (
    project TEXT PRIMARY KEY, visibility TEXT NOT NULL, repository TEXT, seenSeq INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS received (file TEXT NOT NULL, principal TEXT NOT NULL, place TEXT NOT NULL) STRICT;`

/** Records which entries the user shares with the team's server, and which of their events have been sent. */
export class TeamOutbox implements Disposable {
  readonly #db: Database
  readonly #file: FileInFolder

  /** Creates the file if it is missing. Throws IO. */
  constructor(path: string) {
    this.#file = openFolderOf(path, { make: 0o700 })
    try {
      this.#db = openDatabase(this.#file.at, "create", { rights: 0o600 })
      this.#db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
      this.#db.run(SCHEMA)
    } catch (error) {
      this.#file[Symbol.dispose]()
      throw knowledgeError(error, path)
    }
  }

  entries(): OutboxEntry[] {
    return this.#db.query<OutboxEntry, []>("SELECT * FROM entries ORDER BY subject").all()
  }

  /** Shares these entries. An entry that was not shared before, or was shared with other people, is sent as a whole. */
  share(subjects: readonly string[], visibility: string, repository: string | null): void {
    const put = this.#db.query(
      `INSERT INTO entries (subject, visibility, repository) VALUES (?1, ?2, ?3)
       ON CONFLICT (subject) DO UPDATE SET visibility = ?2, repository = ?3, sentSeq = 0, problem = NULL
       WHERE visibility <> ?2 OR repository IS NOT ?3 OR problem IS NOT NULL`,
    )
    this.#db.transaction(() => {
      for (const subject of subjects) put.run(subject, visibility, repository)
    })()
  }

  /** Records that the server has all events of these entries up to number `seq`. */
  sent(subjects: readonly string[], seq: number): void {
    const put = this.#db.query("UPDATE entries SET sentSeq = ?, problem = NULL WHERE subject = ?")
    this.#db.transaction(() => {
      for (const subject of subjects) put.run(seq, subject)
    })()
  }

  /**
   * Records that the server refused the last events of an entry. They are sent again together with the entry's next
   * events.
   */
  refused(subject: string, problem: string): void {
    this.#db.query("UPDATE entries SET problem = ? WHERE subject = ?").run(problem, subject)
  }

  /** Records that all events up to number `seq` that had to be sent were sent, except refused ones. */
  allSent(seq: number): void {
    this.#db.query("UPDATE entries SET sentSeq = max(sentSeq, ?) WHERE problem IS NULL").run(seq)
    this.#db.query("UPDATE projects SET seenSeq = max(seenSeq, ?)").run(seq)
  }

  projects(): SharedProject[] {
    return this.#db.query<SharedProject, []>("SELECT * FROM projects").all()
  }

  shareProject(project: string, visibility: string, repository: string | null): void {
    this.#db
      .query("INSERT OR REPLACE INTO projects (project, visibility, repository) VALUES (?, ?, ?)")
      .run(project, visibility, repository)
  }

  unshareProject(project: string): boolean {
    return this.#db.query("DELETE FROM projects WHERE project = ?").run(project).changes > 0
  }

  copy(): CopyState | null {
    return this.#db.query<CopyState, []>("SELECT * FROM received").get()
  }

  setCopy(state: CopyState | null): void {
    this.#db.transaction(() => {
      this.#db.run("DELETE FROM received")
      if (state === null) return
      const { file, principal, place } = state
      this.#db.query("INSERT INTO received VALUES (?, ?, ?)").run(file, principal, place)
    })()
  }

  [Symbol.dispose](): void {
    this.#db.close()
    this.#file[Symbol.dispose]()
  }
}
