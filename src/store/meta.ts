import type { Database } from "bun:sqlite"

/** Facts about the index as a whole, by name. */
export class MetaTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  get(key: string): string | null {
    return (
      this.#db.query<{ value: string }, [string]>("SELECT value FROM meta WHERE key = ?").get(key)?.value ??
      null
    )
  }

  set(key: string, value: string): void {
    this.#db
      .query(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      )
      .run(key, value)
  }

  remove(key: string): void {
    this.#db.query("DELETE FROM meta WHERE key = ?").run(key)
  }

  all(): Map<string, string> {
    return new Map(this.#db.query<never, []>("SELECT key, value FROM meta").values() as [string, string][])
  }

  /** The generation of the newest derived files; 0 before the first fold. */
  generation(): number {
    return Number(this.get("generation") ?? 0)
  }

  /** The next generation's number; two folds never share one. Call inside the transaction that records it. */
  advanceGeneration(): number {
    const next = this.generation() + 1
    this.set("generation", String(next))
    return next
  }
}
