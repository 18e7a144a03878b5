import { foldName, lastName } from "../fold-name.ts"
import { Table } from "../table.ts"

export type SymbolRow = {
  readonly fileId: number
  /** `ordinal` is the chunk that defines the symbol, `index` the symbol's position in that chunk. */
  readonly ordinal: number
  readonly index: number
  readonly name: string
  readonly kind: string
  readonly signature: string
  readonly owner: string | null
  readonly startLine: number
  readonly endLine: number
  /** 1 if the symbol is defined inside a function, so that code outside that function cannot refer to it. */
  readonly local: 0 | 1
}

/** A symbol without signature, for outlines of one file. */
export type OutlineRow = Omit<SymbolRow, "fileId" | "signature" | "local">

/** A symbol to store. Its doc comment is read back only for symbols that are displayed. */
export type NewSymbol = SymbolRow & { readonly doc: string | null }

const MAX_GLOBALS = 50
const MAX_MEMBERS = 20

const COLUMNS = `file_id AS fileId, ordinal, idx AS "index", name, kind, signature, owner,
  start_line AS startLine, end_line AS endLine, local`

// Each query is one constant string, because concatenating it for each call costs as much as reading a row. Rows come
// in the order of the primary key, because the database index ends with it. The queries have no bound LIMIT, and no
// ORDER BY beside a bound value: with these, SQLite would prepare the statement again for each value (5 µs instead of
// 0.3 µs).
const BY_NAME = `SELECT ${COLUMNS} FROM symbols INDEXED BY symbols_by_folded WHERE folded = ? AND name = ? LIMIT`
/**
 * The same query in path order. Used when a LIMIT omits rows, because the default order (by file id) depends on when
 * files were indexed, and results must not.
 */
const byPath = (where: string) => `SELECT ${COLUMNS} FROM symbols INDEXED BY symbols_by_folded
  LEFT JOIN files ON files.id = file_id WHERE ${where} ORDER BY path, ordinal, idx LIMIT`
const BY_NAME_AND_PATH = byPath("folded = ? AND name = ?")
const BY_FOLDED_AND_PATH = byPath("folded = ?")
const GLOBAL_BY_PATH = byPath("folded = ? AND name = ? AND owner IS NULL AND local = 0")
const MEMBERS_BY_PATH = byPath("folded = ? AND name = ? AND owner IN (SELECT value FROM json_each(?))")
const OF_CHUNK = `SELECT ${COLUMNS} FROM symbols WHERE file_id = ? AND ordinal = ? AND idx >= ? LIMIT 1`
const GLOBAL = `SELECT ${COLUMNS} FROM symbols INDEXED BY symbols_by_folded
  WHERE folded = ? AND name = ? AND owner IS NULL AND local = 0 LIMIT ${MAX_GLOBALS}`
const OF_FILE = `SELECT ${COLUMNS} FROM symbols
  WHERE file_id = ? AND name = ? AND owner IS NULL AND local = 0 LIMIT 4`
const MEMBERS = `SELECT ${COLUMNS} FROM symbols INDEXED BY symbols_by_folded
  WHERE folded = ? AND name = ? AND owner IN (SELECT value FROM json_each(?)) LIMIT ${MAX_MEMBERS}`
const OUTLINE = `SELECT ordinal, idx AS "index", name, kind, owner, start_line AS startLine, end_line AS endLine
  FROM symbols WHERE file_id = ?`

export class SymbolsTable extends Table {
  add(symbols: readonly NewSymbol[]): void {
    const insert = this.db.query(
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
    this.run("DELETE FROM symbols WHERE file_id = ?", fileId)
  }

  docOf({ fileId, ordinal, index }: Pick<SymbolRow, "fileId" | "ordinal" | "index">): string | null {
    return (
      this.row<{ doc: string | null }>(
        "SELECT doc FROM symbols WHERE file_id = ? AND ordinal = ? AND idx = ?",
        fileId,
        ordinal,
        index,
      )?.doc ?? null
    )
  }

  /** Symbols with exactly this name, case-sensitive. */
  findByName(name: string, limit = 1000): SymbolRow[] {
    const values = [foldName(lastName(name)), name] as const
    return this.#first(`${BY_NAME} ${limit}`, `${BY_NAME_AND_PATH} ${limit}`, limit, values)
  }

  /** At most 20 symbols with this name whose owner is one of `owners`. */
  ownedByOneOf(name: string, owners: readonly string[]): SymbolRow[] {
    const values = [foldName(lastName(name)), name, JSON.stringify(owners)]
    return this.#first(MEMBERS, `${MEMBERS_BY_PATH} ${MAX_MEMBERS}`, MAX_MEMBERS, values)
  }

  /**
   * Symbols with this name that have no owner and are not inside a function: at most 4 of one file, or 50 of all files.
   */
  ownedByNone(name: string, fileId: number | null): SymbolRow[] {
    if (fileId !== null) return this.rows<SymbolRow>(OF_FILE, fileId, name)
    const values = [foldName(lastName(name)), name]
    return this.#first(GLOBAL, `${GLOBAL_BY_PATH} ${MAX_GLOBALS}`, MAX_GLOBALS, values)
  }

  /** Like `findByName`, for several names; a name without a definition has no entry in the map. */
  findByNames(names: readonly string[]): Map<string, SymbolRow[]> {
    return this.db.transaction(() => {
      const found = new Map<string, SymbolRow[]>()
      for (const name of new Set(names)) {
        const rows = this.findByName(name)
        if (rows.length > 0) found.set(name, rows)
      }
      return found
    })()
  }

  /** Symbols with this name, ignoring case and underscores: getUser, get_user, GETUSER. */
  findByFolded(name: string, limit = 1000): SymbolRow[] {
    const query = `SELECT ${COLUMNS} FROM symbols WHERE folded = ? ORDER BY file_id, ordinal, idx LIMIT ${limit}`
    return this.#first(query, `${BY_FOLDED_AND_PATH} ${limit}`, limit, [foldName(lastName(name))])
  }

  /**
   * All rows of a query. If the query returns `limit` rows, and so may omit some, the first `limit` rows in path order
   * instead.
   */
  #first(query: string, byPath: string, limit: number, values: readonly string[]): SymbolRow[] {
    const rows = this.rows<SymbolRow>(query, ...values)
    return rows.length < limit ? rows : this.rows<SymbolRow>(byPath, ...values)
  }

  /** Distinct names that begin with `start`, ignoring case and underscores; short names first. */
  namesFrom(start: string, limit: number): string[] {
    const folded = foldName(lastName(start))
    return this.column<string>(
      "SELECT DISTINCT name FROM symbols WHERE folded >= ? AND folded < ? ORDER BY length(name), name LIMIT ?",
      folded,
      `${folded}\u{10ffff}`,
      limit,
    )
  }

  /** The distinct folded names of all symbols; at most `limit` of them. */
  foldedNames(limit: number): string[] {
    return this.column<string>(
      "SELECT DISTINCT folded FROM symbols INDEXED BY symbols_by_folded LIMIT ?",
      limit,
    )
  }

  /** Distinct names with one of these folded names, in the order of the first symbol of each name. */
  namesOfFolded(folded: readonly string[]): string[] {
    const rows = this.tuples<[string]>(
      `SELECT name FROM symbols INDEXED BY symbols_by_folded WHERE folded IN (SELECT value FROM json_each(?))
         ORDER BY file_id, ordinal, idx`,
      JSON.stringify(folded),
    )
    return [...new Set(rows.flat())]
  }

  /** Chunks that define a symbol of one of these kinds, as [file id, ordinal]. */
  placesOfKinds(kinds: readonly string[]): [number, number][] {
    return this.tuples<[number, number]>(
      "SELECT DISTINCT file_id, ordinal FROM symbols WHERE kind IN (SELECT value FROM json_each(?))",
      JSON.stringify(kinds),
    )
  }

  /** The distinct names that a file defines. */
  namesOf(fileId: number): string[] {
    return this.column<string>("SELECT DISTINCT name FROM symbols WHERE file_id = ?", fileId)
  }

  /** The distinct names that a file defines, by the ordinal of the chunk that defines them. */
  namesByChunk(fileId: number): Map<number, string[]> {
    const rows = this.tuples<[number, string]>(
      "SELECT DISTINCT ordinal, name FROM symbols WHERE file_id = ?",
      fileId,
    )
    const names = new Map<number, string[]>()
    for (const [ordinal, name] of rows) {
      const list = names.get(ordinal)
      if (list === undefined) names.set(ordinal, [name])
      else list.push(name)
    }
    return names
  }

  ofFile(fileId: number): SymbolRow[] {
    return this.rows<SymbolRow>(
      `SELECT ${COLUMNS} FROM symbols WHERE file_id = ? ORDER BY ordinal, idx`,
      fileId,
    )
  }

  /** All symbols of a file, in chunk order. */
  outlineOf(fileId: number): OutlineRow[] {
    return this.rows<OutlineRow>(OUTLINE, fileId)
  }

  signatureOf({ ordinal, index }: Pick<SymbolRow, "ordinal" | "index">, fileId: number): string | null {
    return (
      this.row<{ signature: string }>(
        "SELECT signature FROM symbols WHERE file_id = ? AND ordinal = ? AND idx = ?",
        fileId,
        ordinal,
        index,
      )?.signature ?? null
    )
  }

  ofChunk(fileId: number, ordinal: number): SymbolRow[] {
    return this.rows<SymbolRow>(
      `SELECT ${COLUMNS} FROM symbols WHERE file_id = ? AND ordinal = ? ORDER BY idx`,
      fileId,
      ordinal,
    )
  }

  /**
   * The symbol at position `index` of a chunk; if there is none, the chunk's first symbol; null if the chunk defines
   * none.
   */
  oneOfChunk(fileId: number, ordinal: number, index = 0): SymbolRow | null {
    const found = this.row<SymbolRow>(OF_CHUNK, fileId, ordinal, index)
    return found?.index === index || index === 0 ? found : this.oneOfChunk(fileId, ordinal)
  }

  count(): number {
    return this.row<{ n: number }>("SELECT count(*) AS n FROM symbols")!.n
  }
}
