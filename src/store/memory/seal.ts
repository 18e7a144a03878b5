import { type Database, SQLiteError } from "bun:sqlite"
import { AmanError } from "../../base/errors.ts"

/**
 * A seal is a checksum of one row, kept in the row itself; `sums` holds the number of rows of a table and the
 * sum of their seals, kept current by triggers. This detects altered, missing and surplus rows even if SQLite
 * can read the pages without an error.
 */
export const SEALED_TABLES = [
  "events",
  "projects",
  "project_marks",
  "entries",
  "entities",
  "relations",
] as const
export type SealedTable = (typeof SEALED_TABLES)[number]

/**
 * The columns that a table's seals cover. Filter columns of derived tables are left out, as they follow from
 * the body.
 */
export const SEALED_COLUMNS: Readonly<Record<SealedTable, readonly string[]>> = {
  events: ["seq", "id", "at", "subject", "type", "body"],
  projects: ["id", "name", "created"],
  project_marks: ["kind", "value", "project"],
  entries: ["id", "seq", "body"],
  entities: ["id", "seq", "body"],
  relations: ["id", "seq", "body"],
}

/**
 * Sums of seals are modulo this, so that they stay exact integers in JavaScript. 0005-seals.ts has the same
 * value.
 */
export const SUM_MODULUS = 2 ** 52

/**
 * Minimum seal. From here on SQLite stores six bytes, so that no single flipped bit in a row's header makes
 * it null.
 */
const MIN_SEAL = 2 ** 40

/** The seal of a row, from the values of its sealed columns in the order of SEALED_COLUMNS. */
export function sealOf(table: SealedTable, values: readonly (string | number)[]): number {
  const last = values.length - 1
  let rest: string = table
  for (let i = 0; i < last; i++) rest += `\n${values[i]}`
  // The last column is long. Hashed apart, because joining it to the others would copy it and take five times
  // as long.
  return MIN_SEAL + Bun.hash.xxHash32(String(values[last]), Bun.hash.xxHash32(rest))
}

/**
 * True if the seal matches, or is null: then an older aman wrote the row, and it is sealed at the next
 * opening.
 */
export function isSealed(table: SealedTable, values: readonly (string | number)[], seal: unknown): boolean {
  return seal === null || seal === sealOf(table, values)
}

/** Adds a seal to a sum as the triggers do. */
export function addSeal(sum: number, seal: number | null): number {
  return (sum + (seal ?? 0)) % SUM_MODULUS
}

export type SealSum = { readonly rows: number; readonly seals: number }

/** The row count and sum of seals a table should have; null if the file's version has no seals. */
export function sealSum(db: Database, table: SealedTable): SealSum | null {
  if (!hasSeals(db)) return null
  const found = db.query<SealSum, [string]>('SELECT "rows", seals FROM sums WHERE name = ?').get(table)
  if (found === null) throw damaged(`the count of ${table} is missing`)
  return found
}

/** Throws KNOWLEDGE_CORRUPT if the number of the rows read or the sum of their seals differs from what was written. */
export function compareSums(table: SealedTable, found: SealSum, expected: SealSum): void {
  if (found.rows !== expected.rows)
    throw damaged(`${table} has ${found.rows} rows, but ${expected.rows} were written`)
  if (found.seals !== expected.seals) throw damaged(`rows of ${table} were altered`)
}

/** True if the file has seals. A file of an older version that is open read-only has none. */
export function hasSeals(db: Database): boolean {
  return db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'sums'").get() !== null
}

/** The error for a row or table that differs from what was written; the caller adds the path. */
export function damaged(what: string): AmanError {
  return new AmanError("KNOWLEDGE_CORRUPT", `the memory file is damaged: ${what}`, { hint: RECOVER })
}

export const RECOVER =
  "nothing was changed; to rebuild it from what can be read, keeping the old file: aman memory recover"

/**
 * Seals rows without a seal: all rows after the migration, later those written by an older aman still
 * running.
 */
export function sealRows(db: Database): void {
  try {
    for (const table of SEALED_TABLES) {
      if (db.query(`SELECT 1 FROM ${table} WHERE seal IS NULL LIMIT 1`).get() === null) continue
      db.transaction(() => sealTable(db, table)).immediate()
    }
  } catch (error) {
    // Damage is reported when the damaged rows are read; the rest of the file can still be used.
    if (!isCorrupt(error)) throw error
  }
}

/** True if SQLite itself reported the file as damaged. */
export function isCorrupt(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code ?? "")
}

function sealTable(db: Database, table: SealedTable): void {
  const columns = SEALED_COLUMNS[table]
  const keys = table === "project_marks" ? columns : [columns[0]!]
  const seal = db.query(`UPDATE ${table} SET seal = ? WHERE ${keys.map((key) => `${key} = ?`).join(" AND ")}`)
  const rows = db.query(`SELECT ${columns.join(", ")} FROM ${table} WHERE seal IS NULL`).values()
  for (const row of rows as string[][]) seal.run(sealOf(table, row), ...row.slice(0, keys.length))
}
