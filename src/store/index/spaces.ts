import type { Database } from "bun:sqlite"

export type SpaceRow = {
  readonly id: number
  readonly provider: string
  readonly model: string
  readonly dimensions: number
  readonly version: number
}

export class SpacesTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  all(): SpaceRow[] {
    return this.#db
      .query<SpaceRow, []>("SELECT id, provider, model, dimensions, version FROM spaces ORDER BY id")
      .all()
  }

  find(space: Omit<SpaceRow, "id">): SpaceRow | null {
    return this.#db
      .query<SpaceRow, [string, string, number, number]>(
        `SELECT id, provider, model, dimensions, version FROM spaces
         WHERE provider = ? AND model = ? AND dimensions = ? AND version = ?`,
      )
      .get(space.provider, space.model, space.dimensions, space.version)
  }

  /** The id of a space. If the space is new, its row is inserted. */
  ensure(space: Omit<SpaceRow, "id">): number {
    this.#db
      .query("INSERT OR IGNORE INTO spaces (provider, model, dimensions, version) VALUES (?, ?, ?, ?)")
      .run(space.provider, space.model, space.dimensions, space.version)
    return this.find(space)!.id
  }

  remove(id: number): void {
    this.#db.query("DELETE FROM spaces WHERE id = ?").run(id)
  }
}
