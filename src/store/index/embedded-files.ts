import type { Database } from "bun:sqlite"

export type UnembeddedFile = {
  readonly id: number
  readonly path: string
  readonly hash: string
  readonly chunks: number
}

export type EmbeddedShare = {
  readonly files: number
  readonly allFiles: number
  readonly chunks: number
  readonly allChunks: number
}

/** Records which files have vectors for all their chunks in a configured space. */
export class EmbeddedTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Marks files as embedded, except versions that were removed in the meantime. Returns the ids of the marked files.
   */
  add(spaceId: number, fileIds: readonly number[]): number[] {
    const isThere = this.#db.query<{ id: number }, [number]>("SELECT id FROM files WHERE id = ?")
    const insert = this.#db.query("INSERT OR IGNORE INTO embedded (space_id, file_id) VALUES (?, ?)")
    const living = fileIds.filter((id) => isThere.get(id) !== null)
    for (const id of living) insert.run(spaceId, id)
    return living
  }

  removeFile(fileId: number): void {
    for (const { id } of this.#db.query<{ id: number }, []>("SELECT id FROM spaces").all())
      this.#db.query("DELETE FROM embedded WHERE space_id = ? AND file_id = ?").run(id, fileId)
  }

  removeSpace(spaceId: number): void {
    this.#db.query("DELETE FROM embedded WHERE space_id = ?").run(spaceId)
  }

  /** Called when the merged file is lost: only files whose vectors are still in the delta stay marked. */
  keepPending(spaceId: number): void {
    this.#db
      .query(
        `DELETE FROM embedded WHERE space_id = ?1
         AND file_id NOT IN (SELECT file_id FROM vectors WHERE space_id = ?1)`,
      )
      .run(spaceId)
  }

  /** Files that are not embedded in the space, in path order. */
  missing(spaceId: number): UnembeddedFile[] {
    return this.#db
      .query<UnembeddedFile, [number]>(
        `SELECT id, path, hash, chunks FROM files
         WHERE id NOT IN (SELECT file_id FROM embedded WHERE space_id = ?) ORDER BY path`,
      )
      .all(spaceId)
  }

  /**
   * True if every file is embedded. Only counts are compared, so that this can be called before every query. Counts
   * suffice, because the rows of removed files are deleted.
   */
  isWhole(spaceId: number): boolean {
    const row = this.#db
      .query<{ lacking: number }, [number]>(
        `SELECT (SELECT count(*) FROM files) - (SELECT count(*) FROM embedded WHERE space_id = ?) AS lacking`,
      )
      .get(spaceId)
    return row?.lacking === 0
  }

  share(spaceId: number): EmbeddedShare {
    return this.#db
      .query<EmbeddedShare, [number]>(
        `SELECT count(e.file_id) AS files, count(*) AS allFiles,
           coalesce(sum(CASE WHEN e.file_id IS NULL THEN 0 ELSE f.chunks END), 0) AS chunks,
           coalesce(sum(f.chunks), 0) AS allChunks
         FROM files f LEFT JOIN embedded e ON e.space_id = ? AND e.file_id = f.id`,
      )
      .get(spaceId)!
  }
}
