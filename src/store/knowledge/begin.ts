import type { Database } from "bun:sqlite"
import { SQLiteError } from "bun:sqlite"

/** How long a statement waits for another process's commit: a batch of some thousand entries takes seconds. */
export const BUSY_TIMEOUT_MS = 15_000
const LONGEST_PAUSE_MS = 2

/**
 * Takes the write lock. SQLite's own waiting pauses for up to 100 ms while a commit takes one, and whoever has waited
 * long waits longest: eight busy writers got a tenth of what they get so.
 */
export function beginWriting(db: Database, random: () => number = Math.random): void {
  db.run("PRAGMA busy_timeout = 0")
  try {
    for (let waitedMs = 0; !hasBegun(db, waitedMs); ) {
      const pauseMs = random() * LONGEST_PAUSE_MS
      Bun.sleepSync(pauseMs)
      waitedMs += pauseMs
    }
  } finally {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
}

/** Takes the write lock where nobody holds it. */
export function beginWritingIfFree(db: Database): boolean {
  db.run("PRAGMA busy_timeout = 0")
  try {
    return hasBegun(db, 0)
  } finally {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
}

function hasBegun(db: Database, waitedMs: number): boolean {
  try {
    db.run("BEGIN IMMEDIATE")
    return true
  } catch (error) {
    const isBusy = error instanceof SQLiteError && (error.code ?? "").startsWith("SQLITE_BUSY")
    if (!isBusy || waitedMs > BUSY_TIMEOUT_MS) throw error
    return false
  }
}
