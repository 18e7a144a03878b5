import type { Database } from "bun:sqlite"

export type IndexedEntryRow = { readonly entry: string; readonly version: number; readonly blob: Uint8Array }

/** What was computed of an entry and is dear enough to keep; gone as soon as the entry changes. */
export class EntryIndexTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  all(version: number): IndexedEntryRow[] {
    return this.#db
      .query<IndexedEntryRow, [number]>("SELECT entry, version, blob FROM entry_index WHERE version = ?")
      .all(version)
  }

  put({ entry, version, blob }: IndexedEntryRow): void {
    this.#db
      .query(
        `INSERT INTO entry_index (entry, version, blob) VALUES (?, ?, ?)
         ON CONFLICT (entry) DO UPDATE SET version = excluded.version, blob = excluded.blob`,
      )
      .run(entry, version, blob)
  }

  remove(entry: string): void {
    this.#db.query("DELETE FROM entry_index WHERE entry = ?").run(entry)
  }
}
