import type { Database } from "bun:sqlite"

/**
 * A file that was opened and skipped. It is not opened again as long as its size and modification time stay the same.
 */
export type SkippedRow = {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  readonly reason: string
}

export class SkippedTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  add(rows: readonly SkippedRow[]): void {
    const insert = this.#db.query(
      "INSERT OR REPLACE INTO skipped (path, size, mtime_ms, reason) VALUES (?, ?, ?, ?)",
    )
    for (const row of rows) insert.run(row.path, row.size, row.mtimeMs, row.reason)
  }

  ofReason(reason: string): string[] {
    return this.#db
      .query<never, [string]>("SELECT path FROM skipped WHERE reason = ? ORDER BY path")
      .values(reason)
      .flat() as unknown as string[]
  }

  remove(paths: readonly string[]): void {
    const remove = this.#db.query("DELETE FROM skipped WHERE path = ?")
    for (const path of paths) remove.run(path)
  }

  get(path: string): SkippedRow | null {
    return this.#db
      .query<SkippedRow, [string]>(
        "SELECT path, size, mtime_ms AS mtimeMs, reason FROM skipped WHERE path = ?",
      )
      .get(path)
  }

  all(): SkippedRow[] {
    return this.#db
      .query<SkippedRow, []>("SELECT path, size, mtime_ms AS mtimeMs, reason FROM skipped ORDER BY path")
      .all()
  }

  clear(): void {
    this.#db.query("DELETE FROM skipped").run()
  }

  /** Number of skipped files for each reason. */
  reasons(): Record<string, number> {
    const rows = this.#db
      .query<{ reason: string; n: number }, []>(
        "SELECT reason, count(*) AS n FROM skipped GROUP BY reason ORDER BY reason",
      )
      .all()
    return Object.fromEntries(rows.map((row) => [row.reason, row.n]))
  }
}
