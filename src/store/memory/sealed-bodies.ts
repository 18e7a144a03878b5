import type { Database } from "bun:sqlite"
import { addSeal, compareSums, damagedStore, hasSeals, isSealed, type SealedTable, sealSum } from "./seal.ts"

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
    this.#hasSeals ??= hasSeals(this.#db)
    return this.#hasSeals
  }
}
