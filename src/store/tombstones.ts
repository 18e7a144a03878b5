import type { Database } from "bun:sqlite"
import type { DerivedKind } from "./derived.ts"

/** Versions of files that are gone but still stand in a derived file or a segment. */
export class TombstonesTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  add(kind: DerivedKind, spaceId: number, fileId: number): void {
    this.#db
      .query("INSERT OR IGNORE INTO tombstones (kind, space_id, file_id) VALUES (?, ?, ?)")
      .run(kind, spaceId, fileId)
  }

  /** Ascending. */
  all(kind: DerivedKind, spaceId = 0): number[] {
    return this.#db
      .query<never, [string, number]>(
        "SELECT file_id FROM tombstones WHERE kind = ? AND space_id = ? ORDER BY file_id",
      )
      .values(kind, spaceId)
      .flat() as unknown as number[]
  }

  /** A fold left these out of the new base. */
  remove(kind: DerivedKind, spaceId: number, fileIds: readonly number[]): void {
    const remove = this.#db.query("DELETE FROM tombstones WHERE kind = ? AND space_id = ? AND file_id = ?")
    for (const id of fileIds) remove.run(kind, spaceId, id)
  }

  removeSpace(spaceId: number): void {
    this.#db.query("DELETE FROM tombstones WHERE kind = 'vectors' AND space_id = ?").run(spaceId)
  }
}
