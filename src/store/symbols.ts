import type { Database } from "bun:sqlite"
import { foldName, lastName } from "./fold-name.ts"

export type SymbolRow = {
  readonly fileId: number
  /** The chunk that defines it, and its place among that chunk's symbols. */
  readonly ordinal: number
  readonly index: number
  readonly name: string
  readonly kind: string
  readonly signature: string
  readonly owner: string | null
  readonly startLine: number
  readonly endLine: number
  /** 1 inside a function: nothing outside that one can name it. */
  readonly local: 0 | 1
}

/** A symbol by its place and name. */
export type OutlineRow = Omit<SymbolRow, "fileId" | "signature" | "local">

/** A symbol as it is stored: what documents it is read for those only that are shown. */
export type NewSymbol = SymbolRow & { readonly doc: string | null }

const COLUMNS = `file_id AS fileId, ordinal, idx AS "index", name, kind, signature, owner,
  start_line AS startLine, end_line AS endLine, local`

// Each as one text: to put it together anew costs a question of some hundred rows as much as a row does. Rows come in
// the order of the primary key, which the index ends with. A LIMIT that is bound, or an ORDER BY beside what is, has
// SQLite prepare the statement anew for each value: 5 µs instead of .3.
const BY_NAME = `SELECT ${COLUMNS} FROM symbols INDEXED BY symbols_by_folded WHERE folded = ? AND name = ? LIMIT`
const OF_CHUNK = `SELECT ${COLUMNS} FROM symbols WHERE file_id = ? AND ordinal = ? AND idx >= ? LIMIT 1`
const GLOBAL = `SELECT ${COLUMNS} FROM symbols INDEXED BY symbols_by_folded
  WHERE folded = ? AND name = ? AND owner IS NULL AND local = 0 LIMIT 50`
const OF_FILE = `SELECT ${COLUMNS} FROM symbols
  WHERE file_id = ? AND name = ? AND owner IS NULL AND local = 0 LIMIT 4`
const MEMBERS = `SELECT ${COLUMNS} FROM symbols INDEXED BY symbols_by_folded
  WHERE folded = ? AND name = ? AND owner IN (SELECT value FROM json_each(?)) LIMIT 20`
const OUTLINE = `SELECT ordinal, idx AS "index", name, kind, owner, start_line AS startLine, end_line AS endLine
  FROM symbols WHERE file_id = ?`

export class SymbolsTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  add(symbols: readonly NewSymbol[]): void {
    const insert = this.#db.query(
      `INSERT INTO symbols (file_id, ordinal, idx, name, folded, kind, signature, owner, doc, start_line, end_line, local)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    for (const s of symbols) {
      insert.run(
        ...[
          s.fileId,
          s.ordinal,
          s.index,
          s.name,
          foldName(lastName(s.name)),
          s.kind,
          s.signature,
          s.owner,
          s.doc,
        ],
        ...[s.startLine, s.endLine, s.local],
      )
    }
  }

  removeFile(fileId: number): void {
    this.#db.query("DELETE FROM symbols WHERE file_id = ?").run(fileId)
  }

  docOf({ fileId, ordinal, index }: Pick<SymbolRow, "fileId" | "ordinal" | "index">): string | null {
    return (
      this.#db
        .query<{ doc: string | null }, [number, number, number]>(
          "SELECT doc FROM symbols WHERE file_id = ? AND ordinal = ? AND idx = ?",
        )
        .get(fileId, ordinal, index)?.doc ?? null
    )
  }

  /** Exactly this name, case and all. */
  findByName(name: string, limit = 1000): SymbolRow[] {
    return this.#db
      .query<SymbolRow, [string, string]>(`${BY_NAME} ${limit}`)
      .all(foldName(lastName(name)), name)
  }

  /** Those of a name that belong to one of these. */
  ownedByOneOf(name: string, owners: readonly string[]): SymbolRow[] {
    return this.#db
      .query<SymbolRow, [string, string, string]>(MEMBERS)
      .all(foldName(lastName(name)), name, JSON.stringify(owners))
  }

  /** Those of a name that belong to nothing, none of them inside a function; a few of one file, or 50 of all. */
  ownedByNone(name: string, fileId: number | null): SymbolRow[] {
    return fileId === null
      ? this.#db.query<SymbolRow, [string, string]>(GLOBAL).all(foldName(lastName(name)), name)
      : this.#db.query<SymbolRow, [number, string]>(OF_FILE).all(fileId, name)
  }

  /** The same of several at once, by name; one that nothing defines is not among them. */
  findByNames(names: readonly string[]): Map<string, SymbolRow[]> {
    return this.#db.transaction(() => {
      const found = new Map<string, SymbolRow[]>()
      for (const name of new Set(names)) {
        const rows = this.findByName(name)
        if (rows.length > 0) found.set(name, rows)
      }
      return found
    })()
  }

  /** This name in any case and with any underscores: getUser, get_user, GETUSER. */
  findByFolded(name: string, limit = 1000): SymbolRow[] {
    return this.#db
      .query<SymbolRow, [string, number]>(
        `SELECT ${COLUMNS} FROM symbols WHERE folded = ? ORDER BY file_id, ordinal, idx LIMIT ?`,
      )
      .all(foldName(lastName(name)), limit)
  }

  /** Names that begin so in any case and with any underscores, each once, short before long. */
  namesFrom(start: string, limit: number): string[] {
    const folded = foldName(lastName(start))
    return this.#db
      .query<never, [string, string, number]>(
        "SELECT DISTINCT name FROM symbols WHERE folded >= ? AND folded < ? ORDER BY length(name), name LIMIT ?",
      )
      .values(folded, `${folded}\u{10ffff}`, limit)
      .flat() as unknown as string[]
  }

  /** Chunks that define something of these kinds, as [file id, ordinal]. */
  placesOfKinds(kinds: readonly string[]): [number, number][] {
    return this.#db
      .query<never, [string]>(
        "SELECT DISTINCT file_id, ordinal FROM symbols WHERE kind IN (SELECT value FROM json_each(?))",
      )
      .values(JSON.stringify(kinds)) as unknown as [number, number][]
  }

  /** The names a file defines, each once. */
  namesOf(fileId: number): string[] {
    return this.#db
      .query<never, [number]>("SELECT DISTINCT name FROM symbols WHERE file_id = ?")
      .values(fileId)
      .flat() as unknown as string[]
  }

  /** Its different names by the chunk that defines them. */
  namesByChunk(fileId: number): Map<number, string[]> {
    const rows = this.#db
      .query<never, [number]>("SELECT DISTINCT ordinal, name FROM symbols WHERE file_id = ?")
      .values(fileId) as unknown as [number, string][]
    const names = new Map<number, string[]>()
    for (const [ordinal, name] of rows) {
      const list = names.get(ordinal)
      if (list === undefined) names.set(ordinal, [name])
      else list.push(name)
    }
    return names
  }

  ofFile(fileId: number): SymbolRow[] {
    return this.#db
      .query<SymbolRow, [number]>(`SELECT ${COLUMNS} FROM symbols WHERE file_id = ? ORDER BY ordinal, idx`)
      .all(fileId)
  }

  /** All of a file, in the order of chunks. */
  outlineOf(fileId: number): OutlineRow[] {
    return this.#db.query<OutlineRow, [number]>(OUTLINE).all(fileId)
  }

  signatureOf({ ordinal, index }: Pick<SymbolRow, "ordinal" | "index">, fileId: number): string | null {
    return (
      this.#db
        .query<{ signature: string }, [number, number, number]>(
          "SELECT signature FROM symbols WHERE file_id = ? AND ordinal = ? AND idx = ?",
        )
        .get(fileId, ordinal, index)?.signature ?? null
    )
  }

  ofChunk(fileId: number, ordinal: number): SymbolRow[] {
    return this.#db
      .query<SymbolRow, [number, number]>(
        `SELECT ${COLUMNS} FROM symbols WHERE file_id = ? AND ordinal = ? ORDER BY idx`,
      )
      .all(fileId, ordinal)
  }

  /** One definition of a chunk: the one at this place, or else its first. */
  oneOfChunk(fileId: number, ordinal: number, index = 0): SymbolRow | null {
    const found = this.#db.query<SymbolRow, [number, number, number]>(OF_CHUNK).get(fileId, ordinal, index)
    return found?.index === index || index === 0 ? found : this.oneOfChunk(fileId, ordinal)
  }

  count(): number {
    return this.#db.query<{ n: number }, []>("SELECT count(*) AS n FROM symbols").get()!.n
  }
}
