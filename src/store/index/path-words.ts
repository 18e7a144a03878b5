import type { Database } from "bun:sqlite"

/** `paths`: number of paths that contain a word; `stems`: number of these whose file name contains it. */
export type PathWordCount = { readonly paths: number; readonly stems: number }

export class PathWordsTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Adds differences, which may be negative, to the counts. Words that no path contains any more are removed. */
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

  /** Counts of the given words; words that no path contains are left out. */
  counts(words: readonly string[]): Map<string, PathWordCount> {
    const rows = this.#db
      .query<PathWordCount & { word: string }, [string]>(
        "SELECT word, paths, stems FROM path_words WHERE word IN (SELECT value FROM json_each(?))",
      )
      .all(JSON.stringify(words))
    return new Map(rows.map(({ word, paths, stems }) => [word, { paths, stems }]))
  }

  clear(): void {
    this.#db.query("DELETE FROM path_words").run()
  }
}
