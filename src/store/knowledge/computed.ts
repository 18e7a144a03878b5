import type { Database } from "bun:sqlite"

/** What was computed of all entries and is dear enough to keep; of one that is purged, nothing is left in it. */
export class ComputedTables {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Null: none is kept. */
  pack(): Uint8Array | null {
    if (!this.#isThere("recall_pack")) return null
    return this.#db.query<{ blob: Uint8Array }, []>("SELECT blob FROM recall_pack").get()?.blob ?? null
  }

  putPack(blob: Uint8Array): void {
    this.#db
      .query(
        "INSERT INTO recall_pack (one, blob) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET blob = excluded.blob",
      )
      .run(blob)
  }

  links(): string | null {
    if (!this.#isThere("text_links")) return null
    return this.#db.query<{ body: string }, []>("SELECT body FROM text_links").get()?.body ?? null
  }

  putLinks(body: string): void {
    this.#db
      .query(
        "INSERT INTO text_links (one, body) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET body = excluded.body",
      )
      .run(body)
  }

  clear(): void {
    this.#db.run("DELETE FROM recall_pack")
    this.#db.run("DELETE FROM text_links")
  }

  /** A file of an older version that is open for reading only has not all tables. */
  #isThere(table: string): boolean {
    return this.#db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== null
  }
}
