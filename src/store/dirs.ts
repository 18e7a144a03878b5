import type { Database } from "bun:sqlite"

/** A folder as it was at the last scan; one whose mtime stands has gained and lost no entry. */
export type DirRow = { readonly path: string; readonly mtimeMs: number }

export class DirsTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  replaceAll(dirs: readonly DirRow[]): void {
    this.#db.query("DELETE FROM dirs").run()
    const insert = this.#db.query("INSERT OR REPLACE INTO dirs (path, mtime_ms) VALUES (?, ?)")
    for (const dir of dirs) insert.run(dir.path, dir.mtimeMs)
  }

  all(): Map<string, number> {
    return new Map(
      this.#db.query<never, []>("SELECT path, mtime_ms FROM dirs").values() as [string, number][],
    )
  }
}
