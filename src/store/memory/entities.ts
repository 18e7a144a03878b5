import type { Database } from "bun:sqlite"
import { sealOf } from "./seal.ts"
import { SealedBodies } from "./sealed-bodies.ts"

export type EntityRow = {
  readonly id: string
  readonly seq: number
  readonly project: string | null
  readonly mergedInto: string | null
  readonly deletedAt: string | null
  /** The entity as JSON. */
  readonly body: string
  /** Name and aliases, normalized so that they can be compared. */
  readonly names: readonly string[]
}

export class EntitiesTable {
  readonly #db: Database
  readonly #bodies: SealedBodies

  constructor(db: Database) {
    this.#db = db
    this.#bodies = new SealedBodies(db, "entities")
  }

  put({ id, seq, project, mergedInto, deletedAt, body, names }: EntityRow): void {
    this.#db
      .query(
        `INSERT INTO entities (id, seq, project, merged_into, deleted_at, body, seal)
         VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, project = excluded.project,
           merged_into = excluded.merged_into, deleted_at = excluded.deleted_at, body = excluded.body,
           seal = excluded.seal`,
      )
      .run(id, seq, project, mergedInto, deletedAt, body, sealOf("entities", [id, seq, body]))
    this.#db.query("DELETE FROM entity_names WHERE entity = ?").run(id)
    const add = this.#db.query("INSERT OR IGNORE INTO entity_names (name, entity) VALUES (?, ?)")
    for (const name of names) add.run(name, id)
  }

  remove(id: string): void {
    this.#db.query("DELETE FROM entities WHERE id = ?").run(id)
    this.#db.query("DELETE FROM entity_names WHERE entity = ?").run(id)
  }

  get(id: string): string | null {
    return this.#bodies.where("id = ?", id)[0] ?? null
  }

  /** Bodies of the entities with this name or alias, including deleted and merged ones. */
  named(name: string): string[] {
    return this.#bodies.where("id IN (SELECT entity FROM entity_names WHERE name = ?) ORDER BY id", name)
  }

  /** Bodies of entities that changed after event number `seq`; 0 returns all. */
  after(seq: number): string[] {
    return seq === 0 ? this.#bodies.all("id") : this.#bodies.where("seq > ? ORDER BY id", seq)
  }
}
