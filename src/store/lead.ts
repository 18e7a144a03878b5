import { Database } from "bun:sqlite"
import { accessSync, constants, existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileIdentity, isPlain } from "../base/file-identity.ts"

export const LOCK_FILE = "lock.db"

/** A file that is not there is made by the first, and may be removed by others as often as they like. */
const MOST_ATTEMPTS = 5

/** The file whose lock is the lead of a folder; never opened elsewhere in the process that leads. */
export const lockPath = (folder: string): string => join(folder, LOCK_FILE)

/**
 * The right to write what a folder holds: an index, the clones. It is an open transaction on lock.db, which the
 * operating system ends with its process. Never open lock.db by any other way in the process that leads: closing that
 * drops the lock (POSIX).
 */
export class Lead {
  readonly #database: Database
  readonly #path: string
  readonly #identity: string

  private constructor(database: Database, path: string) {
    this.#database = database
    this.#path = path
    this.#identity = fileIdentity(path)
  }

  /** Null where another process leads. */
  static take(folder: string): Lead | null {
    const path = lockPath(folder)
    let isRemoved = false
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const before = fileIdentity(path)
      const database = tryLock(path)
      if (database === "busy") return null
      if (database === "garbage") {
        if (isRemoved) return null
        rmSync(path, { force: true })
        isRemoved = true
        continue
      }
      const lead = new Lead(database, path)
      // Who removes an index takes the lock's file along: the lock of a file that has no name any more is nobody's.
      if (before !== "" && before === lead.#identity) return lead
      lead.release()
    }
    return null
  }

  /** Whether any process leads; null where that cannot be told. Not for the process that does. */
  static isHeld(folder: string): boolean | null {
    const path = lockPath(folder)
    try {
      accessSync(path, constants.W_OK)
    } catch (error) {
      return (error as { code?: string }).code === "ENOENT" ? false : null
    }
    const database = tryLock(path)
    if (database === "busy") return true
    if (database !== "garbage") database.close()
    return false
  }

  /** False once lock.db was removed or replaced: then somebody else may lead, so stop writing. */
  get held(): boolean {
    return this.#database.inTransaction && fileIdentity(this.#path) === this.#identity
  }

  release(): void {
    if (this.#database.inTransaction) this.#database.run("ROLLBACK")
    this.#database.close()
  }

  [Symbol.dispose](): void {
    this.release()
  }
}

/**
 * Asks again and again whether nobody leads, at the cost of a few stats and a try at the lock: a tenth of what taking
 * the lead in vain costs.
 */
export class LeadWatch implements Disposable {
  readonly #path: string
  #database: Database | null = null
  #identity = ""

  constructor(folder: string) {
    this.#path = lockPath(folder)
  }

  /** True where it is worth to take the lead: nobody has it, or something is odd that taking it sees to. */
  isFree(): boolean {
    // SQLite would play a journal back, and the lock never leaves one; taking the lead removes it, as it does a link.
    if (existsSync(`${this.#path}-journal`) || !isPlain(this.#path)) return true
    try {
      if (this.#database === null || fileIdentity(this.#path) !== this.#identity) this.#open()
      this.#database!.run("BEGIN IMMEDIATE")
    } catch (error) {
      return (error as { code?: unknown }).code !== "SQLITE_BUSY"
    }
    this.close()
    return true
  }

  close(): void {
    if (this.#database?.inTransaction) this.#database.run("ROLLBACK")
    this.#database?.close()
    this.#database = null
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #open(): void {
    this.close()
    this.#database = new Database(this.#path, { readwrite: true })
    this.#database.run("PRAGMA busy_timeout = 0")
    this.#identity = fileIdentity(this.#path)
  }
}

function tryLock(path: string): Database | "busy" | "garbage" {
  let database: Database | undefined
  try {
    database = new Database(path, { create: true, readwrite: true })
    database.run("PRAGMA busy_timeout = 0")
    // Not in a file: a journal that lies there was put there, and see LOCK_JOURNAL.
    database.run("PRAGMA journal_mode = MEMORY")
    database.run("BEGIN IMMEDIATE")
    return database
  } catch (error) {
    database?.close()
    return isGarbage(error) ? "garbage" : "busy"
  }
}

function isGarbage(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_NOTADB"
}
