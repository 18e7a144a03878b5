import type { Database } from "bun:sqlite"

/** A file's centrality: 16·log2 of its PageRank relative to the average file, which has rank 0. */
export type FileRank = { readonly fileId: number; readonly rank: number }

export type NameRank = FileRank & { readonly hash: number }

/** The centrality of files, and the names through which files are most used. */
export class CentralityTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Replaces the ranks of all files and the list of names. Only the file ranks that differ are written. Call it inside
   * a transaction.
   */
  replace(files: readonly FileRank[], names: readonly NameRank[]): void {
    this.#replaceFiles(files)
    this.#replaceNames(names)
  }

  removeFile(fileId: number): void {
    this.#db.query("DELETE FROM centrality WHERE file_id = ?").run(fileId)
    this.#db.query("DELETE FROM central_names WHERE file_id = ?").run(fileId)
  }

  of(fileIds: readonly number[]): Map<number, number> {
    return new Map(
      this.#db
        .query<never, [string]>(
          "SELECT file_id, rank FROM centrality WHERE file_id IN (SELECT value FROM json_each(?))",
        )
        .values(JSON.stringify(fileIds)) as unknown as [number, number][],
    )
  }

  /** The names through which files are used most, most central first. */
  names(limit: number): (NameRank & { readonly path: string; readonly flags: number })[] {
    return this.#db
      .query<NameRank & { path: string; flags: number }, [number]>(
        `SELECT file_id AS fileId, central_names.hash, rank, path, flags FROM central_names JOIN files ON files.id = file_id
         ORDER BY rank DESC, path, central_names.hash LIMIT ?`,
      )
      .all(limit)
  }

  count(): number {
    return this.#db.query<{ n: number }, []>("SELECT count(*) AS n FROM centrality").get()!.n
  }

  #replaceFiles(files: readonly FileRank[]): void {
    const old = new Map(
      this.#db.query<never, []>("SELECT file_id, rank FROM centrality").values() as unknown as [
        number,
        number,
      ][],
    )
    const write = this.#db.query("INSERT OR REPLACE INTO centrality (file_id, rank) VALUES (?, ?)")
    for (const { fileId, rank } of files) {
      if (old.get(fileId) !== rank) write.run(fileId, rank)
      old.delete(fileId)
    }
    const remove = this.#db.query("DELETE FROM centrality WHERE file_id = ?")
    for (const fileId of old.keys()) remove.run(fileId)
  }

  #replaceNames(names: readonly NameRank[]): void {
    this.#db.query("DELETE FROM central_names").run()
    const write = this.#db.query("INSERT INTO central_names (file_id, hash, rank) VALUES (?, ?, ?)")
    for (const { fileId, hash, rank } of names) write.run(fileId, hash, rank)
  }
}
