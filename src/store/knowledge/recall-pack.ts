import type { Database } from "bun:sqlite"

/** What was computed of all entries and is dear enough to keep: one blob, gone as soon as an entry is purged. */
export class RecallPackTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Null: none is kept. */
  read(): Uint8Array | null {
    if (!this.#isThere()) return null
    return this.#db.query<{ blob: Uint8Array }, []>("SELECT blob FROM recall_pack").get()?.blob ?? null
  }

  put(blob: Uint8Array): void {
    this.#db
      .query(
        "INSERT INTO recall_pack (one, blob) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET blob = excluded.blob",
      )
      .run(blob)
  }

  /** A file of an older version that is open for reading only has no such table. */
  #isThere(): boolean {
    return (
      this.#db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'recall_pack'").get() !==
      null
    )
  }
}
