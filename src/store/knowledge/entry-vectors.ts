import type { Database } from "bun:sqlite"

export type EntryVectorsRow = { readonly entry: string; readonly textHash: string; readonly blob: Uint8Array }

/** Vectors of entries in one space beside the built-in one; they outlast every change of an entry but of its text. */
export class EntryVectorsTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** As it was entered; null: none was. */
  space(): string | null {
    if (!this.#isThere()) return null
    return this.#db.query<{ body: string }, []>("SELECT body FROM vector_space").get()?.body ?? null
  }

  /** Forgets the vectors of the former one. */
  enter(space: string): void {
    this.#db.run("DELETE FROM entry_vectors")
    this.#db
      .query(
        "INSERT INTO vector_space (one, body) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET body = excluded.body",
      )
      .run(space)
  }

  /** Of an entry that has another text by now, or is gone, nothing is kept. */
  put({ entry, textHash, blob }: EntryVectorsRow): void {
    this.#db
      .query(
        `INSERT OR REPLACE INTO entry_vectors (entry, text_hash, blob)
         SELECT id, text_hash, ?3 FROM entries WHERE id = ?1 AND text_hash = ?2`,
      )
      .run(entry, textHash, blob)
  }

  /** Of those of these entries whose text is the same still. */
  of(entries: readonly string[]): { entry: string; blob: Uint8Array }[] {
    if (!this.#isThere()) return []
    return this.#db
      .query<{ entry: string; blob: Uint8Array }, [string]>(
        `SELECT v.entry, v.blob FROM json_each(?) AS wanted JOIN entry_vectors AS v ON v.entry = wanted.value
         JOIN entries AS e ON e.id = v.entry AND e.text_hash = v.text_hash`,
      )
      .all(JSON.stringify(entries))
  }

  /** How many of the entries that are not deleted have theirs. */
  count(): number {
    if (!this.#isThere()) return 0
    return this.#db
      .query<{ n: number }, []>(
        `SELECT count(*) AS n FROM entry_vectors AS v
         JOIN entries AS e ON e.id = v.entry AND e.text_hash = v.text_hash WHERE e.deleted_at IS NULL`,
      )
      .get()!.n
  }

  /** A file that is only read may be of a time before there were any. */
  #isThere(): boolean {
    return this.#db.query("SELECT 1 FROM sqlite_master WHERE name = 'entry_vectors'").get() !== null
  }
}
