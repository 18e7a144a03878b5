import type { Database } from "bun:sqlite"

/** What the last completed run saw of the project's files, as bytes of its own format. */
export class SnapshotTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  get(): Uint8Array | null {
    return this.#db.query<{ bytes: Uint8Array }, []>("SELECT bytes FROM snapshot").get()?.bytes ?? null
  }

  set(bytes: Uint8Array): void {
    this.#db.query("INSERT OR REPLACE INTO snapshot (id, bytes) VALUES (1, ?)").run(bytes)
  }

  /** Until the next run completes, nothing is known of the files. */
  clear(): void {
    this.#db.query("DELETE FROM snapshot").run()
  }
}
