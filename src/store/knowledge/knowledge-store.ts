import type { Database } from "bun:sqlite"
import { AmanError } from "../../base/errors.ts"
import { BUSY_TIMEOUT_MS, beginWriting, beginWritingIfFree } from "./begin.ts"
import { ComputedTables } from "./computed.ts"
import { DerivedTables } from "./derived-tables.ts"
import { EntitiesTable } from "./entities.ts"
import { EntriesTable } from "./entries.ts"
import { EntryVectorsTable } from "./entry-vectors.ts"
import { EventsTable } from "./events.ts"
import { knowledgeError } from "./knowledge-error.ts"
import { ProjectsTable } from "./projects.ts"
import { RelationsTable } from "./relations.ts"

/** Readers are done in milliseconds; who is not may be long. */
const SCRUB_TIMEOUT_MS = 1000

/** One open knowledge.db: its tables, and what concerns the file as a whole. */
export class KnowledgeStore {
  readonly path: string
  readonly readonly: boolean
  readonly events: EventsTable
  readonly entries: EntriesTable
  readonly entities: EntitiesTable
  readonly relations: RelationsTable
  readonly computed: ComputedTables
  readonly vectors: EntryVectorsTable
  readonly projects: ProjectsTable
  readonly derived: DerivedTables
  readonly #db: Database

  constructor(db: Database, path: string, readonly: boolean) {
    this.#db = db
    this.path = path
    this.readonly = readonly
    this.events = new EventsTable(db)
    this.entries = new EntriesTable(db)
    this.entities = new EntitiesTable(db)
    this.relations = new RelationsTable(db)
    this.computed = new ComputedTables(db)
    this.vectors = new EntryVectorsTable(db)
    this.projects = new ProjectsTable(db)
    this.derived = new DerivedTables(db)
  }

  /** All of `write` or nothing; takes the write lock at once, so that it never fails half-way for a rival. */
  transaction<T>(write: () => T): T {
    return this.#guarded(() => {
      if (this.#db.inTransaction) return write()
      beginWriting(this.#db)
      return this.#finish(write)
    })
  }

  /** The same where no other process writes just now; else nothing. */
  transactionIfFree(write: () => void): void {
    this.#guarded(() => {
      if (beginWritingIfFree(this.#db)) this.#finish(write)
    })
  }

  /** Several reads of one state. */
  consistently<T>(read: () => T): T {
    return this.#guarded(() => (this.#db.inTransaction ? read() : this.#db.transaction(read).deferred()))
  }

  /**
   * Overwrites what was deleted: the file is written anew, and the log emptied. False where another process reads or
   * writes all the while, so that some of it is left.
   */
  scrub(): boolean {
    this.#db.run(`PRAGMA busy_timeout = ${SCRUB_TIMEOUT_MS}`)
    try {
      return this.#guarded(() => {
        this.#db.run("VACUUM")
        const row = this.#db.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()
        return row?.busy === 0
      })
    } catch (error) {
      if (error instanceof AmanError && error.code === "KNOWLEDGE_BUSY") return false
      throw error
    } finally {
      this.#db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
  }

  /** SQLite's own look at the whole file, without the contents of indexes. */
  isSound(): boolean {
    const row = this.#guarded(() =>
      this.#db.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get(),
    )
    return row?.quick_check === "ok"
  }

  close(): void {
    this.#db.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #finish<T>(write: () => T): T {
    try {
      const result = write()
      this.#db.run("COMMIT")
      return result
    } catch (error) {
      // A full disk may have rolled it back already.
      if (this.#db.inTransaction) this.#db.run("ROLLBACK")
      throw error
    }
  }

  #guarded<T>(act: () => T): T {
    try {
      return act()
    } catch (error) {
      throw knowledgeError(error, this.path)
    }
  }
}
