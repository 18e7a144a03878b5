import { type Database, SQLiteError } from "bun:sqlite"
import { AmanError, displayPath } from "../../base/index.ts"
import { schemaVersion } from "../sqlite-error.ts"
import { KNOWLEDGE_MIGRATIONS } from "./migrations/list.ts"

/**
 * Maximum time in ms that a statement waits for another process's commit. A batch of some thousand entries takes
 * seconds.
 */
export const BUSY_TIMEOUT_MS = 15_000

/** Takes the write lock. */
export const BEGIN_WRITING = "BEGIN IMMEDIATE"

/** Takes the write lock if it is free; false if another process holds it. */
export function beginWritingIfFree(db: Database): boolean {
  try {
    runWhenFree(db, BEGIN_WRITING, 0)
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}

/**
 * Runs a statement, trying again after short random pauses while others keep the database busy. SQLite's own busy handler
 * pauses for up to 100 ms, although a commit takes about 1 ms, and its pauses grow with the time waited: with it, eight
 * busy writers had a tenth of this throughput. Statements that change the journal mode fail without asking it.
 */
export function runWhenFree(db: Database, sql: string, maxMs = BUSY_TIMEOUT_MS): void {
  db.run("PRAGMA busy_timeout = 0")
  try {
    for (let waitedMs = 0; ; ) {
      try {
        return void db.run(sql)
      } catch (error) {
        if (waitedMs >= maxMs || !isBusy(error)) throw error
      }
      const pauseMs = Math.random() * 2
      Bun.sleepSync(pauseMs)
      waitedMs += pauseMs
    }
  } finally {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
}

export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code ?? "").startsWith("SQLITE_BUSY")
}

/**
 * Throws KNOWLEDGE_NEWER if the schema is newer than this aman knows. Called when the file is opened and before each
 * write, because a newer aman may migrate the file while an older server has it open.
 */
export function refuseNewer(db: Database, path: string): void {
  if (!isNewer(db)) return
  const schema = schemaVersion(db)
  throw new AmanError(
    "KNOWLEDGE_NEWER",
    `${displayPath(path)} was written by a newer aman (schema ${schema})`,
    { hint: "nothing was changed; update aman and restart your agent" },
  )
}

/** True if the schema is newer than this aman knows. */
export function isNewer(db: Database): boolean {
  return schemaVersion(db) > KNOWLEDGE_MIGRATIONS.length
}
