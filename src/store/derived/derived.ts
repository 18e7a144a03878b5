import type { Database } from "bun:sqlite"

export type DerivedKind = "keyword" | "vectors"

/**
 * The record of a valid derived file: its name, the size and hash that it must have, and its stamp when it was last
 * verified.
 */
export type DerivedRow = {
  readonly kind: DerivedKind
  /** Id of the vector space; 0 for the keyword index. */
  readonly spaceId: number
  /** Position of this file among the files of one keyword or vector index, from 0. */
  readonly part: number
  readonly generation: number
  /** File name in the index's folder. */
  readonly name: string
  readonly size: number
  /** xxHash3-64 of the file (derived-files.ts), 16 hexadecimal digits. */
  readonly hash: string
  readonly dimensions: number
  readonly count: number
  readonly inode: string
  /** Modification and change time in nanoseconds: "mtime ctime". */
  readonly times: string
}

const COLUMNS = `kind, space_id AS spaceId, part, generation, name, size, hash, dimensions, count, inode,
  mtime_ns AS times`

export class DerivedTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** The rows of one keyword or vector index in the order of parts; empty if it has no files yet. */
  of(kind: DerivedKind, spaceId = 0): DerivedRow[] {
    return this.#db
      .query<DerivedRow, [string, number]>(
        `SELECT ${COLUMNS} FROM derived WHERE kind = ? AND space_id = ? ORDER BY part`,
      )
      .all(kind, spaceId)
  }

  all(): DerivedRow[] {
    return this.#db
      .query<DerivedRow, []>(`SELECT ${COLUMNS} FROM derived ORDER BY kind, space_id, part`)
      .all()
  }

  /**
   * Replaces all rows of one keyword or vector index. Call it in the transaction that also removes the merged deltas.
   */
  replace(kind: DerivedKind, spaceId: number, rows: readonly DerivedRow[]): void {
    this.#db.query("DELETE FROM derived WHERE kind = ? AND space_id = ?").run(kind, spaceId)
    const insert = this.#db.query(
      `INSERT INTO derived (kind, space_id, part, generation, name, size, hash, dimensions, count, inode, mtime_ns)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    for (const r of rows) {
      insert.run(
        ...[kind, spaceId, r.part, r.generation, r.name, r.size, r.hash, r.dimensions, r.count],
        ...[r.inode, r.times],
      )
    }
  }

  /** Stores the inode and times of a file that was verified again. */
  stamp(row: DerivedRow, inode: string, times: string): void {
    this.#db
      .query("UPDATE derived SET inode = ?, mtime_ns = ? WHERE kind = ? AND space_id = ? AND part = ?")
      .run(inode, times, row.kind, row.spaceId, row.part)
  }
}
