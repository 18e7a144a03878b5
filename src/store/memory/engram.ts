import { Database } from "bun:sqlite"
import { pathToFileURL } from "node:url"
import { AmanError, realPlace } from "../../base/index.ts"

/** A row of another program's database; the keys are column names. */
type ForeignRow = { readonly [column: string]: string | number | null }

const TABLES = ["sessions", "observations"] as const
type EngramTable = (typeof TABLES)[number]
type EngramRows = Readonly<Record<EngramTable, readonly ForeignRow[]>>

/**
 * Reads the sessions and observations of engram (~/.engram/engram.db), with whatever columns its version has. Opens the
 * file read-only, or as immutable if its folder is read-only or it was copied without its log. Throws NOT_TEXT for a
 * database of another program.
 */
export function readEngramRows(path: string): EngramRows {
  using db = openEngram(path)
  try {
    const names = db.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    if (!TABLES.every((table) => names.some(({ name }) => name === table))) throw notEngram(path)
    return { sessions: tableRows(db, "sessions"), observations: tableRows(db, "observations") }
  } catch (error) {
    if (error instanceof AmanError) throw error
    throw notEngram(path, error)
  }
}

function tableRows(db: Database, table: EngramTable): ForeignRow[] {
  return db.query<ForeignRow, []>(`SELECT * FROM ${table} ORDER BY rowid`).all()
}

function openEngram(path: string): Database {
  const db = new Database(realPlace(path), { readonly: true })
  try {
    db.query("SELECT count(*) FROM sqlite_master").get()
    return db
  } catch (cause) {
    db.close()
    try {
      return new Database(`${pathToFileURL(path).href}?immutable=1`, { readonly: true })
    } catch {
      throw notEngram(path, cause)
    }
  }
}

function notEngram(path: string, cause?: unknown): AmanError {
  return new AmanError("NOT_TEXT", `${path} is not a database of engram`, {
    hint: "export other databases as JSON or Markdown",
    cause,
  })
}
