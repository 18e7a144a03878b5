import type { Database } from "bun:sqlite"

/** A keyword segment that waits to be folded into the base. */
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

  /** Its id; later segments have higher ones. */
  add(segment: Omit<SegmentRow, "id">): number {
    const result = this.#db
      .query("INSERT INTO segments (files, chunks, blob) VALUES (?, ?, ?)")
      .run(segment.files, segment.chunks, segment.blob)
    return Number(result.lastInsertRowid)
  }

  /** Oldest first; with `after`, only what came later: a reader that has the earlier ones already. */
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

  /** How much waits: the measure of when to fold. */
  pending(): { readonly segments: number; readonly files: number; readonly chunks: number } {
    return this.#db
      .query<{ segments: number; files: number; chunks: number }, []>(
        `SELECT count(*) AS segments, coalesce(sum(files), 0) AS files, coalesce(sum(chunks), 0) AS chunks
         FROM segments`,
      )
      .get()!
  }

  /** Those up to and including `id` are in the base now. */
  removeUpTo(id: number): void {
    this.#db.query("DELETE FROM segments WHERE id <= ?").run(id)
  }
}
