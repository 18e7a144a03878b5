import type { Database } from "bun:sqlite"

/** The unmerged vectors of one file in one space. The vector layer defines their encoding. */
export type VectorsRow = {
  readonly fileId: number
  /** The ordinal of the chunk of each row, as 16-bit unsigned integers, little-endian. */
  readonly ordinals: Uint8Array
  readonly rows: Uint8Array
}

export class VectorsTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  add(spaceId: number, vectors: readonly VectorsRow[]): void {
    const insert = this.#db.query(
      "INSERT OR REPLACE INTO vectors (space_id, file_id, ordinals, rows) VALUES (?, ?, ?, ?)",
    )
    for (const v of vectors) insert.run(spaceId, v.fileId, v.ordinals, v.rows)
  }

  removeFile(fileId: number): void {
    for (const id of this.#spaces())
      this.#db.query("DELETE FROM vectors WHERE space_id = ? AND file_id = ?").run(id, fileId)
  }

  /** Removes the vectors of files whose vectors are now in the base. */
  remove(spaceId: number, fileIds: readonly number[]): void {
    const remove = this.#db.query("DELETE FROM vectors WHERE space_id = ? AND file_id = ?")
    for (const id of fileIds) remove.run(spaceId, id)
  }

  removeSpace(spaceId: number): void {
    this.#db.query("DELETE FROM vectors WHERE space_id = ?").run(spaceId)
  }

  /** All rows, sorted by file id. */
  all(spaceId: number): VectorsRow[] {
    return this.#db
      .query<VectorsRow, [number]>(
        "SELECT file_id AS fileId, ordinals, rows FROM vectors WHERE space_id = ? ORDER BY file_id",
      )
      .all(spaceId)
  }

  ofFiles(spaceId: number, fileIds: readonly number[]): VectorsRow[] {
    return this.#db
      .query<VectorsRow, [number, string]>(
        `SELECT file_id AS fileId, ordinals, rows FROM vectors
         WHERE space_id = ? AND file_id IN (SELECT value FROM json_each(?)) ORDER BY file_id`,
      )
      .all(spaceId, JSON.stringify(fileIds))
  }

  fileIds(spaceId: number): number[] {
    return this.#db
      .query<never, [number]>("SELECT file_id FROM vectors WHERE space_id = ? ORDER BY file_id")
      .values(spaceId)
      .flat() as unknown as number[]
  }

  /** Numbers of files and vectors that are not merged yet. */
  pending(spaceId: number): { readonly files: number; readonly vectors: number } {
    return this.#db
      .query<{ files: number; vectors: number }, [number]>(
        `SELECT count(*) AS files, coalesce(sum(length(ordinals)), 0) / 2 AS vectors FROM vectors WHERE space_id = ?`,
      )
      .get(spaceId)!
  }

  #spaces(): number[] {
    return this.#db.query<never, []>("SELECT id FROM spaces").values().flat() as unknown as number[]
  }
}
