import type { Database } from "bun:sqlite"

/** A keyword delta segment, stored here until it is merged into the base. */
export type SegmentRow = {
  readonly id: number
  readonly files: number
  readonly chunks: number
  readonly blob: Uint8Array
}

export class SegmentsTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Stores a segment and returns its id. Later segments have higher ids. */
  add(segment: Omit<SegmentRow, "id">): number {
    const result = this.#db
      .query("INSERT INTO segments (files, chunks, blob) VALUES (?, ?, ?)")
      .run(segment.files, segment.chunks, segment.blob)
    return Number(result.lastInsertRowid)
  }

  /** Segments with an id above `after`, oldest first. A reader passes the id of the last segment that it has. */
  all(after = 0): SegmentRow[] {
    return this.#db
      .query<SegmentRow, [number]>("SELECT id, files, chunks, blob FROM segments WHERE id > ? ORDER BY id")
      .all(after)
  }

  ids(): number[] {
    return this.#db
      .query<never, []>("SELECT id FROM segments ORDER BY id")
      .values()
      .flat() as unknown as number[]
  }

  /** Amount of data that is not merged yet; it decides when to merge. */
  pending(): { readonly segments: number; readonly files: number; readonly chunks: number } {
    return this.#db
      .query<{ segments: number; files: number; chunks: number }, []>(
        `SELECT count(*) AS segments, coalesce(sum(files), 0) AS files, coalesce(sum(chunks), 0) AS chunks
         FROM segments`,
      )
      .get()!
  }

  /** Removes the segments with ids up to and including `id`, because they are now in the base. */
  removeUpTo(id: number): void {
    this.#db.query("DELETE FROM segments WHERE id <= ?").run(id)
  }
}
