import type { Database } from "bun:sqlite"
import { sealOf } from "./seal.ts"
import { SealedBodies } from "./sealed-bodies.ts"

export type RelationRow = {
  readonly id: string
  readonly seq: number
  readonly deletedAt: string | null
  /** The relation as JSON. */
  readonly body: string
}

export class RelationsTable {
  readonly #db: Database
  readonly #bodies: SealedBodies

  constructor(db: Database) {
    this.#db = db
    this.#bodies = new SealedBodies(db, "relations")
  }

  put({ id, seq, deletedAt, body }: RelationRow): void {
    this.#db
      .query(
        `INSERT INTO relations (id, seq, deleted_at, body, seal) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, deleted_at = excluded.deleted_at, body = excluded.body,
           seal = excluded.seal`,
      )
      .run(id, seq, deletedAt, body, sealOf("relations", [id, seq, body]))
  }

  remove(id: string): void {
    this.#db.query("DELETE FROM relations WHERE id = ?").run(id)
  }

  get(id: string): string | null {
    return this.#bodies.where("id = ?", id)[0] ?? null
  }

  /** Bodies of relations that changed after event number `seq`; 0 returns all. */
  after(seq: number): string[] {
    return seq === 0 ? this.#bodies.all("id") : this.#bodies.where("seq > ? ORDER BY id", seq)
  }
}
