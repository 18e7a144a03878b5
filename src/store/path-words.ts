import type { Database } from "bun:sqlite"

/** In how many paths a word stands, and in how many file names among them. */
export type PathWordCount = { readonly paths: number; readonly stems: number }

export class PathWordsTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Adds differences, which may be negative; a word that stands nowhere any more is forgotten. */
  add(changes: ReadonlyMap<string, PathWordCount>): void {
    const upsert = this.#db.query(
      `INSERT INTO path_words (word, paths, stems) VALUES (?, ?, ?)
       ON CONFLICT (word) DO UPDATE SET paths = paths + excluded.paths, stems = stems + excluded.stems`,
    )
    const forget = this.#db.query("DELETE FROM path_words WHERE word = ? AND paths <= 0")
    for (const [word, { paths, stems }] of changes) {
      upsert.run(word, paths, stems)
      if (paths < 0) forget.run(word)
    }
  }

  get(word: string): PathWordCount {
    const row = this.#db
      .query<PathWordCount, [string]>("SELECT paths, stems FROM path_words WHERE word = ?")
      .get(word)
    return row ?? { paths: 0, stems: 0 }
  }

  clear(): void {
    this.#db.query("DELETE FROM path_words").run()
  }
}
