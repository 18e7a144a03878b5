import type { Database } from "bun:sqlite"

export type RelationRow = {
  readonly id: string
  readonly seq: number
  readonly deletedAt: string | null
  /** JSON. */
  readonly body: string
}

export class RelationsTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  put({ id, seq, deletedAt, body }: RelationRow): void {
    this.#db
      .query("INSERT OR REPLACE INTO relations (id, seq, deleted_at, body) VALUES (?, ?, ?, ?)")
      .run(id, seq, deletedAt, body)
  }

  remove(id: string): void {
    this.#db.query("DELETE FROM relations WHERE id = ?").run(id)
  }

  get(id: string): string | null {
    return (
      this.#db.query<{ body: string }, [string]>("SELECT body FROM relations WHERE id = ?").get(id)?.body ??
      null
    )
  }

  /** Bodies of what changed after that number; 0: all. */
  after(seq: number): string[] {
    return this.#db
      .query<{ body: string }, [number]>("SELECT body FROM relations WHERE seq > ? ORDER BY id")
      .all(seq)
      .map((row) => row.body)
  }
}
