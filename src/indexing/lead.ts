import { Database } from "bun:sqlite"
import { accessSync, constants, rmSync } from "node:fs"
import { join } from "node:path"
import { fileIdentity } from "../base/file-identity.ts"

/**
 * The right to write one index. It is an open transaction on lock.db, which the operating system ends with its
 * process. Never open lock.db by any other way in the process that leads: closing that drops the lock (POSIX).
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
    const path = join(folder, "lock.db")
    for (const attempt of [1, 2]) {
      const database = tryLock(path)
      if (database === "busy") return null
      if (database !== "garbage") return new Lead(database, path)
      if (attempt === 1) rmSync(path, { force: true })
    }
    return null
  }

  /** Whether any process leads; null where that cannot be told. Not for the process that does. */
  static isHeld(folder: string): boolean | null {
    const path = join(folder, "lock.db")
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

function tryLock(path: string): Database | "busy" | "garbage" {
  let database: Database | undefined
  try {
    database = new Database(path, { create: true, readwrite: true })
    database.run("PRAGMA busy_timeout = 0")
    database.run("PRAGMA journal_mode = DELETE")
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
