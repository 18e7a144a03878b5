import { type Database, SQLiteError } from "bun:sqlite"
import { AmanError } from "../../base/index.ts"

/**
 * A seal is a checksum of one row, stored in the row itself. The table `sums` contains, for each sealed table, the
 * number of its rows and the sum of their seals, which triggers keep up to date. So altered, missing and surplus rows
 * are detected even if SQLite can read the pages without an error.
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
 * The columns of each table that its seals cover. The filter columns of derived tables are left out, because they are
 * derived from the body.
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
 * Sums of seals are computed modulo this number, so that they stay exact integers in JavaScript. 0005-seals.ts has the
 * same value.
 */
const SUM_MODULUS = 2 ** 52

/**
 * Minimum value of a seal. From this value on, SQLite stores six bytes, so that no single flipped bit in the header of
 * a row makes the seal null.
 */
const MIN_SEAL = 2 ** 40

/** The seal of a row, computed from the values of its sealed columns in the order of SEALED_COLUMNS. */
export function sealOf(table: SealedTable, values: readonly (string | number)[]): number {
  const last = values.length - 1
  let rest: string = table
  for (let i = 0; i < last; i++) rest += `\n${values[i]}`
  // The last column is long, so it is hashed separately: joining it to the others would copy it and take five times as
  // long.
  return MIN_SEAL + Bun.hash.xxHash32(String(values[last]), Bun.hash.xxHash32(rest))
}

/**
 * True if the seal matches the row. Also true if the seal is null: an older aman wrote the row, and it is sealed when
 * the file is next opened.
 */
export function isSealed(table: SealedTable, values: readonly (string | number)[], seal: unknown): boolean {
  return seal === null || seal === sealOf(table, values)
}

/** Adds a seal to a sum, in the same way as the triggers. */
export function addSeal(sum: number, seal: number | null): number {
  return (sum + (seal ?? 0)) % SUM_MODULUS
}

type SealSum = { readonly rows: number; readonly seals: number }

/** The number of rows and the sum of seals that a table should have; null if the file's schema version has no seals. */
export function sealSum(db: Database, table: SealedTable): SealSum | null {
  if (!hasTable(db, "sums")) return null
  const found = db.query<SealSum, [string]>('SELECT "rows", seals FROM sums WHERE name = ?').get(table)
  if (found === null) throw damagedStore(`the count of ${table} is missing`)
  return found
}

/** Throws KNOWLEDGE_CORRUPT if the number of rows read, or the sum of their seals, differs from the expected one. */
export function compareSums(table: SealedTable, found: SealSum, expected: SealSum): void {
  if (found.rows !== expected.rows)
    throw damagedStore(`${table} has ${found.rows} rows, but ${expected.rows} were written`)
  if (found.seals !== expected.seals) throw damagedStore(`rows of ${table} were altered`)
}

/** True if the file has the table. A file of an older version that is open read-only is not migrated and may lack it. */
export function hasTable(db: Database, table: string): boolean {
  return db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== null
}

/** Creates the error for a row or table that differs from what was written. The caller adds the path. */
export function damagedStore(what: string): AmanError {
  return new AmanError("KNOWLEDGE_CORRUPT", `the memory file is damaged: ${what}`, { hint: RECOVER })
}

const RECOVER =
  "nothing was changed; to rebuild it from what can be read, keeping the old file: aman memory recover"

/**
 * Seals the rows that have no seal: all rows after the migration, and later the rows that an older, still running aman
 * has written.
 */
export function sealRows(db: Database): void {
  try {
    for (const table of SEALED_TABLES) {
      if (db.query(`SELECT 1 FROM ${table} WHERE seal IS NULL LIMIT 1`).get() === null) continue
      db.transaction(() => sealTable(db, table)).immediate()
    }
  } catch (error) {
    // Damage is reported when the damaged rows are read; the other rows can still be used.
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

type QueryParameters = (string | number | null)[]
type SealedBodyRow = readonly [id: string, seq: number, body: string, seal: number | null]

/**
 * Reads the bodies of one derived table and checks each against its seal. Throws KNOWLEDGE_CORRUPT if one does not
 * match.
 */
export class SealedBodies {
  readonly #db: Database
  readonly #table: SealedTable
  #hasSeals: boolean | null = null

  constructor(db: Database, table: SealedTable) {
    this.#db = db
    this.#table = table
  }

  where(condition: string, ...values: QueryParameters): string[] {
    return this.of(`${this.#table} AS e WHERE ${condition}`, ...values)
  }

  /** Bodies of the rows that a FROM clause selects. In it, the table has the alias `e`. */
  of(source: string, ...values: QueryParameters): string[] {
    return this.#rows(source, values).map((row) => row[2])
  }

  /** The bodies of all rows. Missing or surplus rows count as damage, too. */
  all(order: string): string[] {
    // One transaction, so that the rows and their sum are of one state while other processes write.
    return this.#db.inTransaction ? this.#all(order) : this.#db.transaction(() => this.#all(order)).deferred()
  }

  #all(order: string): string[] {
    const rows = this.#rows(`${this.#table} AS e ORDER BY ${order}`, [])
    const expected = this.#isSealed() ? sealSum(this.#db, this.#table) : null
    let seals = 0
    for (const row of rows) seals = addSeal(seals, row[3])
    if (expected !== null) compareSums(this.#table, { rows: rows.length, seals }, expected)
    return rows.map((row) => row[2])
  }

  #rows(source: string, values: QueryParameters): SealedBodyRow[] {
    const seal = this.#isSealed() ? "e.seal" : "NULL"
    const sql = `SELECT e.id, e.seq, e.body, ${seal} FROM ${source}`
    // Rows are arrays of values, because objects take a third longer.
    const rows = this.#db.query<never, QueryParameters>(sql).values(...values) as unknown as SealedBodyRow[]
    for (const row of rows)
      if (!isSealed(this.#table, [row[0], row[1], row[2]], row[3]))
        throw damagedStore(`a row of ${this.#table} was altered`)
    return rows
  }

  #isSealed(): boolean {
    this.#hasSeals ??= hasTable(this.#db, "sums")
    return this.#hasSeals
  }
}
