import type { Database, SQLQueryBindings } from "bun:sqlite"

type Values = readonly SQLQueryBindings[]

/** Base class of tables: what a query returns, as objects, tuples or single values. */
export abstract class Table {
  protected readonly db: Database

  constructor(db: Database) {
    this.db = db
  }

  protected rows<T>(sql: string, ...values: Values): T[] {
    return this.db.query<T, SQLQueryBindings[]>(sql).all(...values)
  }

  /** The first row; null if there is none. */
  protected row<T>(sql: string, ...values: Values): T | null {
    return this.db.query<T, SQLQueryBindings[]>(sql).get(...values)
  }

  protected tuples<T>(sql: string, ...values: Values): T[] {
    return this.db.query<never, SQLQueryBindings[]>(sql).values(...values) as unknown as T[]
  }

  /** The values of a query that returns one column. */
  protected column<T>(sql: string, ...values: Values): T[] {
    return this.tuples<T[]>(sql, ...values).flat() as T[]
  }

  protected run(sql: string, ...values: SQLQueryBindings[]): void {
    this.db.query(sql).run(...values)
  }
}
