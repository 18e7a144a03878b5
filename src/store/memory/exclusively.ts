import { type Database, SQLiteError } from "bun:sqlite"
import { AmanError } from "../../base/errors.ts"
import { displayPath } from "../../base/paths.ts"
import { openDatabase } from "../open-database.ts"
import { isCorrupt } from "./seal.ts"

const WAIT_MS = 3000

/**
 * Runs `act` while no other process has the file open, and passes it the highest event number, or null if that cannot
 * be read. Afterwards there is no log beside the file. Throws KNOWLEDGE_BUSY if another process has the file open. A
 * file that is too damaged for SQLite to open cannot be locked, but then no process can write it either.
 */
export function exclusively<T>(path: string, act: (lastSeq: number | null) => T): T {
  const db = locked(path)
  try {
    const result = act(db === null ? null : lastSeq(db))
    return result
  } finally {
    db?.close()
  }
}

function locked(path: string): Database | null {
  let db: Database | undefined
  try {
    db = openDatabase(path, "write", { maxHardLinks: Number.POSITIVE_INFINITY })
    db.run(`PRAGMA busy_timeout = ${WAIT_MS}`)
    // SQLite leaves write-ahead logging only on the last connection, so this fails while another process has the file
    // open.
    db.query("PRAGMA journal_mode = DELETE").get()
    db.run("BEGIN EXCLUSIVE")
    return db
  } catch (error) {
    db?.close()
    if (isCorrupt(error)) return null
    const isBusy = error instanceof SQLiteError && (error.code ?? "").startsWith("SQLITE_BUSY")
    if (!isBusy) throw error
    throw new AmanError("KNOWLEDGE_BUSY", `another process has ${displayPath(path)} open`, {
      hint: "stop all programs that use it (agents with an aman server, aman serve), then try again",
      cause: error,
    })
  }
}

function lastSeq(db: Database): number | null {
  try {
    return db.query<{ seq: number | null }, []>("SELECT max(seq) AS seq FROM events").get()?.seq ?? 0
  } catch {
    return null
  }
}
