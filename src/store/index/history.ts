import type { Database } from "bun:sqlite"

/** What git's history says about the files: packed commits (`src/history`), and the commit at which it was read. */
export type HistoryRow = {
  /** The commit that was checked out, and the folder of the project in the work tree. */
  readonly source: string
  readonly commits: Uint8Array
  /** Why git failed; null if it did not. */
  readonly failure: string | null
}

export class HistoryTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** The `source` of the stored history; null if there is none. Does not read the commits. */
  source(): string | null {
    return this.#db.query<{ source: string }, []>("SELECT source FROM history").get()?.source ?? null
  }

  get(): HistoryRow | null {
    return this.#db.query<HistoryRow, []>("SELECT source, commits, failure FROM history").get()
  }

  set({ source, commits, failure }: HistoryRow): void {
    this.#db
      .query("INSERT OR REPLACE INTO history (id, source, commits, failure) VALUES (1, ?, ?, ?)")
      .run(source, commits, failure)
  }

  clear(): void {
    this.#db.query("DELETE FROM history").run()
  }
}
