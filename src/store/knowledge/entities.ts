import type { Database } from "bun:sqlite"

export type EntityRow = {
  readonly id: string
  readonly seq: number
  readonly project: string | null
  readonly mergedInto: string | null
  readonly deletedAt: string | null
  /** JSON. */
  readonly body: string
  /** Its name and aliases, as names are compared. */
  readonly names: readonly string[]
}

export class EntitiesTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  put({ id, seq, project, mergedInto, deletedAt, body, names }: EntityRow): void {
    this.#db
      .query(
        `INSERT OR REPLACE INTO entities (id, seq, project, merged_into, deleted_at, body)
         VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(id, seq, project, mergedInto, deletedAt, body)
    this.#db.query("DELETE FROM entity_names WHERE entity = ?").run(id)
    const add = this.#db.query("INSERT OR IGNORE INTO entity_names (name, entity) VALUES (?, ?)")
    for (const name of names) add.run(name, id)
  }

  remove(id: string): void {
    this.#db.query("DELETE FROM entities WHERE id = ?").run(id)
    this.#db.query("DELETE FROM entity_names WHERE entity = ?").run(id)
  }

  get(id: string): string | null {
    return (
      this.#db.query<{ body: string }, [string]>("SELECT body FROM entities WHERE id = ?").get(id)?.body ??
      null
    )
  }

  /** Bodies of those so called, gone and merged ones too. */
  named(name: string): string[] {
    return this.#db
      .query<{ body: string }, [string]>(
        `SELECT body FROM entities WHERE id IN (SELECT entity FROM entity_names WHERE name = ?) ORDER BY id`,
      )
      .all(name)
      .map((row) => row.body)
  }

  /** Bodies of what changed after that number; 0: all. */
  after(seq: number): string[] {
    return this.#db
      .query<{ body: string }, [number]>("SELECT body FROM entities WHERE seq > ? ORDER BY id")
      .all(seq)
      .map((row) => row.body)
  }
}
