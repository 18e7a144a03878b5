import type { Database } from "bun:sqlite"

/**
 * The names that one file uses (hashes and packed places), and hashes of the names by which other files may use the
 * file.
 */
export type UsesRow = {
  readonly fileId: number
  readonly names: Uint8Array
  readonly places: Uint8Array
  readonly defines: Uint8Array
  readonly bases: readonly Base[]
}

/** A type of the file, and a type that it extends or implements. Each pair occurs once. */
export type Base = readonly [type: string, base: string]

/** The columns that are needed to decide which file a use can refer to. */
export type LinkedRow = {
  readonly id: number
  readonly path: string
  readonly language: string
  readonly package: string | null
  readonly imports: readonly string[]
  readonly flags: number
  readonly defines: Uint8Array
}

const BASES_ABOVE = `WITH RECURSIVE above (type, base) AS (
    SELECT type, base FROM bases WHERE type = ?
    UNION SELECT bases.type, bases.base FROM above JOIN bases ON bases.type = above.base
  ) SELECT type, base FROM above`

export class UsesTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  add({ fileId, names, places, defines, bases }: UsesRow): void {
    this.#db
      .query("INSERT INTO uses (file_id, names, places, defines) VALUES (?, ?, ?, ?)")
      .run(fileId, names, places, defines)
    const insert = this.#db.query("INSERT INTO bases (file_id, type, base) VALUES (?, ?, ?)")
    for (const [type, base] of bases) insert.run(fileId, type, base)
  }

  removeFile(fileId: number): void {
    this.#db.query("DELETE FROM uses WHERE file_id = ?").run(fileId)
    this.#db.query("DELETE FROM bases WHERE file_id = ?").run(fileId)
  }

  /** All [type, base] pairs on the way up from a type name, in any file: its bases, their bases, and so on. */
  basesAbove(type: string): [type: string, base: string][] {
    return this.#db.query<never, [string]>(BASES_ABOVE).values(type) as unknown as [string, string][]
  }

  /** Types that extend or implement one of these names, with the ids of their files. */
  extending(bases: readonly string[]): [base: string, type: string, fileId: number][] {
    return this.#db
      .query<never, [string]>(
        "SELECT base, type, file_id FROM bases WHERE base IN (SELECT value FROM json_each(?))",
      )
      .values(JSON.stringify(bases)) as unknown as [string, string, number][]
  }

  places(fileId: number): Uint8Array | null {
    return (
      this.#db
        .query<{ places: Uint8Array }, [number]>("SELECT places FROM uses WHERE file_id = ?")
        .get(fileId)?.places ?? null
    )
  }

  /**
   * Used names of the files with an id above `fileId`. New files always have higher ids, so that a reader which caches
   * rows can request the new ones only.
   */
  namesAfter(fileId: number): [fileId: number, names: Uint8Array][] {
    return this.#db
      .query<never, [number]>("SELECT file_id, names FROM uses WHERE file_id > ? ORDER BY file_id")
      .values(fileId) as unknown as [number, Uint8Array][]
  }

  /**
   * Used names of the files whose list of hashes contains these four bytes anywhere: usually as one hash, sometimes by
   * chance as parts of two neighbouring hashes.
   */
  namesWith(bytes: Uint8Array): [fileId: number, names: Uint8Array][] {
    return this.#db
      .query<never, [Uint8Array]>(
        "SELECT file_id, names FROM uses WHERE instr(names, ?) > 0 ORDER BY file_id",
      )
      .values(bytes) as unknown as [number, Uint8Array][]
  }

  /** Rows of all files in path order. A generator, because all rows together would need too much memory. */
  *linked(): Generator<LinkedRow> {
    const rows = this.#db
      .query<Omit<LinkedRow, "imports"> & { imports: string | null }, []>(
        `SELECT id, path, language, package, imports, flags, defines FROM files JOIN uses ON file_id = id ORDER BY path`,
      )
      .iterate()
    for (const row of rows)
      yield { ...row, imports: row.imports === null ? [] : (JSON.parse(row.imports) as string[]) }
  }

  /** Hashes of the names that each file uses, in the same order as `linked`. */
  *linkedNames(): Generator<Uint8Array> {
    const rows = this.#db
      .query<{ names: Uint8Array }, []>(
        "SELECT uses.names AS names FROM files JOIN uses ON file_id = id ORDER BY path",
      )
      .iterate()
    for (const { names } of rows) yield names
  }

  ids(): number[] {
    return this.#db.query<never, []>("SELECT file_id FROM uses").values().flat() as unknown as number[]
  }
}
