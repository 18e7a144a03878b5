import type { Database } from "bun:sqlite"
import { existsSync, renameSync, rmSync } from "node:fs"
import { fileIdentity } from "../../base/index.ts"
import { openDatabase } from "../open-database.ts"
import { storeError } from "../sqlite-error.ts"
import { Table } from "../table.ts"

/** Version of the tables. Raise it when they change: a file with an older version counts as missing. */
const SCHEMA_VERSION = 2

const SCHEMA = `
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, tool TEXT NOT NULL);
CREATE TABLE symbols (id INTEGER PRIMARY KEY, symbol TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
CREATE TABLE places (
  symbol_id INTEGER NOT NULL, file_id INTEGER NOT NULL, line INTEGER NOT NULL, roles INTEGER NOT NULL,
  PRIMARY KEY (symbol_id, file_id, line, roles)
) WITHOUT ROWID;
CREATE INDEX places_by_file ON places (file_id, line);
CREATE TABLE bases (base_id INTEGER NOT NULL, symbol_id INTEGER NOT NULL, PRIMARY KEY (base_id, symbol_id)) WITHOUT ROWID;
CREATE TABLE sources (path TEXT PRIMARY KEY, stamp TEXT NOT NULL) WITHOUT ROWID;
`

/** Bits of a place's roles, as in SCIP. */
export const ROLE = { definition: 1, import: 2, forwardDefinition: 64 } as const

/** A file in an imported index, in the state that it had when it was imported. */
export type ExactFile = {
  readonly path: string
  /** Hash of its content, as in the table of indexed files. */
  readonly hash: string
  readonly tool: string
  readonly places: readonly ExactPlace[]
  /** Pairs of a symbol of this file and a symbol that it implements or overrides. */
  readonly bases: readonly (readonly [symbol: string, base: string])[]
}

/** The index file (SCIP) that places are imported from, and a stamp that changes whenever that file changes. */
export type ExactSource = { readonly path: string; readonly stamp: string }

export type ExactPlace = {
  /** Identifier of the symbol across files, as the indexer writes it. */
  readonly symbol: string
  /** The symbol's name in code. */
  readonly name: string
  /** Line of the place, 1-based. */
  readonly line: number
  readonly roles: number
}

type PlaceRow = { path: string; hash: string; line: number; roles: number }

/**
 * Places of symbols that were imported from SCIP indexes. They are in a file beside index.db that is always replaced as
 * a whole. The file contains the id of the index, so that a file that came with a project is not used.
 */
export class ExactStore extends Table {
  readonly identity: string

  private constructor(db: Database, path: string) {
    super(db)
    this.identity = fileIdentity(path)
  }

  /** Opens the store; null if there is no file, or if it belongs to another version or another index. */
  static open(path: string, id: number): ExactStore | null {
    if (!existsSync(path)) return null
    let db: Database | null = null
    try {
      db = openDatabase(path, "read")
      if (numberOf(db, "application_id") === id && numberOf(db, "user_version") === SCHEMA_VERSION)
        return new ExactStore(db, path)
    } catch {
      // A damaged file counts as missing: the next import replaces it.
    }
    db?.close()
    return null
  }

  /**
   * Writes a new store: `added`, plus the files of the store at `path` that are not in `added` and that `isKept`
   * accepts. A reader sees either the old or the new store.
   */
  static write(path: string, id: number, added: ExactAddition): void {
    // Each import writes to a file with its own name, because two imports may run at the same time. `aman clean`
    // removes files with such names.
    const next = `${path}-${crypto.randomUUID().replace(/[^a-f]/g, "")}new`
    rmSync(next, { force: true })
    try {
      writeTo(next, path, id, added)
      renameSync(next, path)
    } catch (error) {
      rmSync(next, { force: true })
      throw storeError(error, path)
    }
  }

  /** Stamp that an index file had when it was last imported; null if it was never imported. */
  stampOf(source: string): string | null {
    return this.row<{ stamp: string }>("SELECT stamp FROM sources WHERE path = ?", source)?.stamp ?? null
  }

  /** Hash that a file had when its places were imported; null if none were imported. */
  hashOf(path: string): string | null {
    return this.row<{ hash: string }>("SELECT hash FROM files WHERE path = ?", path)?.hash ?? null
  }

  /** Total number of files, and of places in them. */
  totals(): { readonly files: number; readonly places: number } {
    return this.row<{ files: number; places: number }>(
      "SELECT (SELECT count(*) FROM files) AS files, (SELECT count(*) FROM places) AS places",
    )!
  }

  /**
   * Ids of the symbols with that name that are defined on the lines from `from` to `to` of a file, in the order of
   * their lines.
   */
  definedIn(path: string, name: string, from: number, to: number): number[] {
    return this.column<number>(
      `SELECT symbol_id FROM places JOIN symbols ON symbols.id = symbol_id
         WHERE file_id = (SELECT id FROM files WHERE path = ?) AND line BETWEEN ? AND ?
           AND roles & 65 <> 0 AND name = ? ORDER BY line`,
      path,
      from,
      to,
      name,
    )
  }

  /** The identifier of a symbol across files, as the indexer wrote it. */
  symbolOf(id: number): string {
    return this.row<{ symbol: string }>("SELECT symbol FROM symbols WHERE id = ?", id)?.symbol ?? ""
  }

  /** All symbols with that name. */
  symbolsNamed(name: string): { readonly id: number; readonly symbol: string }[] {
    return this.rows<{ id: number; symbol: string }>("SELECT id, symbol FROM symbols WHERE name = ?", name)
  }

  /** All places of a symbol, including its definitions. */
  placesOf(symbol: number): PlaceRow[] {
    return this.rows<PlaceRow>(
      `SELECT path, hash, line, roles FROM places JOIN files ON files.id = file_id
         WHERE symbol_id = ? ORDER BY path, line`,
      symbol,
    )
  }

  /** Lines of a file on which any symbol with that name is defined or used. */
  linesNaming(path: string, name: string): number[] {
    return this.column<number>(
      `SELECT DISTINCT line FROM places JOIN symbols ON symbols.id = symbol_id
         WHERE file_id = (SELECT id FROM files WHERE path = ?) AND name = ?`,
      path,
      name,
    )
  }

  /** Names and places of the definitions that implement or override a symbol. */
  implementing(symbol: number): (PlaceRow & { readonly name: string })[] {
    return this.rows<PlaceRow & { name: string }>(
      `SELECT path, hash, line, roles, name FROM bases
         JOIN symbols ON symbols.id = bases.symbol_id
         JOIN places ON places.symbol_id = bases.symbol_id AND roles & 1 <> 0
         JOIN files ON files.id = file_id
         WHERE base_id = ? ORDER BY path, line`,
      symbol,
    )
  }

  close(): void {
    this.db.close()
  }
}

type ExactAddition = {
  readonly source: ExactSource
  readonly files: Iterable<ExactFile>
  readonly isKept: (path: string, hash: string) => boolean
}

function writeTo(next: string, previous: string, id: number, { source, files, isKept }: ExactAddition): void {
  const db = openDatabase(next, "create")
  try {
    db.run("PRAGMA synchronous = OFF")
    db.run("PRAGMA journal_mode = OFF")
    db.run(`PRAGMA application_id = ${id}`)
    db.run(`PRAGMA user_version = ${SCHEMA_VERSION}`)
    db.run(SCHEMA)
    const former = ExactStore.open(previous, id)
    former?.close()
    if (former !== null) db.query("ATTACH ? AS former").run(previous)
    db.transaction(() => {
      const written = new Writer(db)
      for (const file of files) written.add(file)
      if (former !== null) copyFormer(db, isKept)
      db.query("INSERT OR REPLACE INTO sources VALUES (?, ?)").run(source.path, source.stamp)
    })()
    if (former !== null) db.run("DETACH former")
  } finally {
    db.close()
  }
}

/** Copies the files from the previous store that the new import does not replace, with their places. */
function copyFormer(db: Database, isKept: (path: string, hash: string) => boolean): void {
  const kept = db
    .query<{ id: number; path: string; hash: string }, []>(
      "SELECT id, path, hash FROM former.files WHERE path NOT IN (SELECT path FROM main.files)",
    )
    .all()
    .filter(({ path, hash }) => isKept(path, hash))
  db.run("CREATE TEMP TABLE kept (former INTEGER PRIMARY KEY, path TEXT NOT NULL)")
  const keep = db.query("INSERT INTO kept VALUES (?, ?)")
  for (const { id, path } of kept) keep.run(id, path)
  db.run(`
    INSERT INTO main.sources SELECT path, stamp FROM former.sources;
    INSERT INTO main.files (path, hash, tool) SELECT f.path, f.hash, f.tool FROM former.files f JOIN kept ON kept.former = f.id;
    INSERT OR IGNORE INTO main.symbols (symbol, name)
      SELECT DISTINCT s.symbol, s.name FROM former.places p JOIN kept ON kept.former = p.file_id
      JOIN former.symbols s ON s.id = p.symbol_id;
    INSERT OR IGNORE INTO main.places
      SELECT n.id, f.id, p.line, p.roles FROM former.places p JOIN kept ON kept.former = p.file_id
      JOIN main.files f ON f.path = kept.path
      JOIN former.symbols s ON s.id = p.symbol_id JOIN main.symbols n ON n.symbol = s.symbol;
    INSERT OR IGNORE INTO main.bases
      SELECT b.id, h.id FROM former.bases x
      JOIN former.symbols fb ON fb.id = x.base_id JOIN main.symbols b ON b.symbol = fb.symbol
      JOIN former.symbols fh ON fh.id = x.symbol_id JOIN main.symbols h ON h.symbol = fh.symbol;
    DROP TABLE kept;`)
}

class Writer extends Table {
  readonly #ids = new Map<string, number>()
  /** Ids of symbols that have occurred only as a base so far, so that their names are not known yet. */
  readonly #nameless = new Set<number>()

  add({ path, hash, tool, places, bases }: ExactFile): void {
    const file = this.db
      .query("INSERT OR IGNORE INTO files (path, hash, tool) VALUES (?, ?, ?)")
      .run(path, hash, tool)
    // The index contains this file twice; the first occurrence counts.
    if (file.changes === 0) return
    const place = this.db.query("INSERT OR IGNORE INTO places VALUES (?, ?, ?, ?)")
    for (const { symbol, name, line, roles } of places)
      place.run(this.#idOf(symbol, name), Number(file.lastInsertRowid), line, roles)
    const base = this.db.query("INSERT OR IGNORE INTO bases VALUES (?, ?)")
    for (const [symbol, above] of bases) base.run(this.#idOf(above, ""), this.#idOf(symbol, ""))
  }

  #idOf(symbol: string, name: string): number {
    const known = this.#ids.get(symbol)
    if (known !== undefined) {
      if (name !== "" && this.#nameless.delete(known))
        this.run("UPDATE symbols SET name = ? WHERE id = ?", name, known)
      return known
    }
    const id = this.#ids.size + 1
    if (name === "") this.#nameless.add(id)
    this.run("INSERT INTO symbols VALUES (?, ?, ?)", id, symbol, name)
    this.#ids.set(symbol, id)
    return id
  }
}

function numberOf(db: Database, pragma: "application_id" | "user_version"): number {
  return db.query<Record<string, number>, []>(`PRAGMA ${pragma}`).get()![pragma]!
}
