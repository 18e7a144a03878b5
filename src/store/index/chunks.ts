import type { Database } from "bun:sqlite"

export type ChunkRow = {
  readonly fileId: number
  /** Position among the file's chunks, from 0. */
  readonly ordinal: number
  readonly startLine: number
  readonly endLine: number
  readonly kind: string
  readonly scope: string | null
  readonly hash: string
}

const COLUMNS = "file_id AS fileId, ordinal, start_line AS startLine, end_line AS endLine, kind, scope, hash"

export class ChunksTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  add(chunks: readonly ChunkRow[]): void {
    const insert = this.#db.query(
      `INSERT INTO chunks (file_id, ordinal, start_line, end_line, kind, scope, hash) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    for (const c of chunks) insert.run(c.fileId, c.ordinal, c.startLine, c.endLine, c.kind, c.scope, c.hash)
  }

  removeFile(fileId: number): void {
    this.#db.query("DELETE FROM chunks WHERE file_id = ?").run(fileId)
  }

  get(fileId: number, ordinal: number): ChunkRow | null {
    return this.#db
      .query<ChunkRow, [number, number]>(`SELECT ${COLUMNS} FROM chunks WHERE file_id = ? AND ordinal = ?`)
      .get(fileId, ordinal)
  }

  ofFile(fileId: number): ChunkRow[] {
    return this.#db
      .query<ChunkRow, [number]>(`SELECT ${COLUMNS} FROM chunks WHERE file_id = ? ORDER BY ordinal`)
      .all(fileId)
  }

  /** The chunk that contains a line; null for a blank line between chunks. */
  atLine(fileId: number, line: number): ChunkRow | null {
    return this.#db
      .query<ChunkRow, [number, number, number]>(
        `SELECT ${COLUMNS} FROM chunks WHERE file_id = ? AND start_line <= ? AND end_line >= ? LIMIT 1`,
      )
      .get(fileId, line, line)
  }
}
