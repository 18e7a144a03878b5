import type { Database } from "bun:sqlite"

/** A file that the user's chunker program was asked to divide into chunks. */
export type DividedFileRow = {
  readonly fileId: number
  /** Name of the program. */
  readonly program: string
  /** Why the file has the chunks of aman's own chunker instead; null if it has those of the program. */
  readonly failure: string | null
}

export class DividedFilesTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  add({ fileId, program, failure }: DividedFileRow): void {
    this.#db
      .query("INSERT INTO divided_files (file_id, program, failure) VALUES (?, ?, ?)")
      .run(fileId, program, failure)
  }

  removeFile(fileId: number): void {
    this.#db.query("DELETE FROM divided_files WHERE file_id = ?").run(fileId)
  }

  /** Number of files for each program and failure. */
  counts(): (Omit<DividedFileRow, "fileId"> & { readonly files: number })[] {
    return this.#db
      .query<Omit<DividedFileRow, "fileId"> & { files: number }, []>(
        `SELECT program, failure, count(*) AS files FROM divided_files
         GROUP BY program, failure ORDER BY program, failure`,
      )
      .all()
  }

  /** All files, sorted by path. */
  all(): (DividedFileRow & { readonly path: string })[] {
    return this.#db
      .query<DividedFileRow & { path: string }, []>(
        `SELECT path, file_id AS fileId, program, failure FROM divided_files
         JOIN files ON files.id = file_id ORDER BY path`,
      )
      .all()
  }
}
