import type { Database } from "bun:sqlite"

/** The names one file uses: hashes, and packed places. */
export type UsesRow = { readonly fileId: number; readonly names: Uint8Array; readonly places: Uint8Array }

export class UsesTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  add({ fileId, names, places }: UsesRow): void {
    this.#db.query("INSERT INTO uses (file_id, names, places) VALUES (?, ?, ?)").run(fileId, names, places)
  }

  removeFile(fileId: number): void {
    this.#db.query("DELETE FROM uses WHERE file_id = ?").run(fileId)
  }

  places(fileId: number): Uint8Array | null {
    return (
      this.#db
        .query<{ places: Uint8Array }, [number]>("SELECT places FROM uses WHERE file_id = ?")
        .get(fileId)?.places ?? null
    )
  }

  /** Of files with an id above that one; ids only grow, so a reader that keeps these asks for the new ones. */
  namesAfter(fileId: number): [fileId: number, names: Uint8Array][] {
    return this.#db
      .query<never, [number]>("SELECT file_id, names FROM uses WHERE file_id > ? ORDER BY file_id")
      .values(fileId) as unknown as [number, Uint8Array][]
  }

  has(fileId: number): boolean {
    return this.#db.query("SELECT 1 FROM uses WHERE file_id = ?").get(fileId) !== null
  }

  ids(): number[] {
    return this.#db.query<never, []>("SELECT file_id FROM uses").values().flat() as unknown as number[]
  }
}
