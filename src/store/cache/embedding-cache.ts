import type { Database } from "bun:sqlite"
import { chmodSync, rmSync } from "node:fs"
import { AmanError, displayPath, type FileInFolder, openFolderOf } from "../../base/index.ts"
import type { SpaceRow } from "../index/tables.ts"
import { DATABASE_SUFFIXES, openDatabase } from "../open-database.ts"
import { schemaVersion, storeError } from "../sqlite-error.ts"

/** Maximum size of the cache; enough for 250,000 vectors of 1,024 f16 numbers. */
const MAX_BYTES = 512 << 20
const BUSY_TIMEOUT_MS = 5000
const SCHEMA_VERSION = 1
const DAY_MS = 86_400_000
/** Share of the vectors that is evicted at a time, so that not every write has to evict some. */
const EVICTED_SHARE = 0.1

export type CacheOptions = {
  readonly maxBytes?: number
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number
}

export type CachedVector = {
  /** Hash of the text as it was sent to the embedder. */
  readonly hash: Uint8Array
  readonly row: Uint8Array
}

/**
 * Vectors that are expensive to compute, because they come from Ollama or a server. All projects of the user share the
 * cache. The key is a hash of the text. Any number of processes may use it at the same time. When it is too large, the
 * least recently used vectors are evicted; their use is recorded by day.
 */
export class EmbeddingCache {
  readonly #db: Database
  readonly #path: string
  readonly #options: CacheOptions
  readonly #file: FileInFolder

  private constructor(file: FileInFolder, path: string, options: CacheOptions) {
    this.#db = openCache(file.at)
    this.#file = file
    this.#path = path
    this.#options = options
  }

  /**
   * Throws INDEX_CORRUPT if the file is damaged or was not made by aman, INDEX_NEWER if a newer aman wrote it, and IO
   * if it cannot be opened.
   */
  static open(path: string, options: CacheOptions): EmbeddingCache {
    const file = openFolderOf(path, { make: 0o700 })
    try {
      return new EmbeddingCache(file, path, options)
    } catch (error) {
      file[Symbol.dispose]()
      throw storeError(error, path)
    }
  }

  /**
   * Deletes a damaged cache and opens an empty one. Nothing is lost for good: every vector can be computed
   * again.
   */
  static openNew(path: string, options: CacheOptions): EmbeddingCache {
    using file = openFolderOf(path, { make: 0o700 })
    for (const suffix of DATABASE_SUFFIXES) rmSync(file.at + suffix, { recursive: true, force: true })
    return EmbeddingCache.open(path, options)
  }

  /** The cached rows for these text hashes, in the same order; null where a text is not cached. */
  get(space: Omit<SpaceRow, "id">, hashes: readonly Uint8Array[]): (Uint8Array | null)[] {
    return this.#transaction(() => {
      const id = this.#spaceId(space)
      const today = this.#today()
      const find = this.#db.query<{ id: number; used: number; row: Uint8Array }, [number, Uint8Array]>(
        "SELECT id, used, row FROM vectors WHERE space_id = ? AND hash = ?",
      )
      const touch = this.#db.query("UPDATE vectors SET used = ? WHERE id = ?")
      return hashes.map((hash) => {
        const found = find.get(id, hash)
        if (found !== null && found.used !== today) touch.run(today, found.id)
        return found?.row ?? null
      })
    })
  }

  put(space: Omit<SpaceRow, "id">, vectors: readonly CachedVector[]): void {
    this.#transaction(() => {
      const id = this.#spaceId(space)
      const insert = this.#db.query(
        "INSERT OR REPLACE INTO vectors (space_id, hash, used, row) VALUES (?, ?, ?, ?)",
      )
      for (const { hash, row } of vectors) insert.run(id, hash, this.#today(), row)
      this.#makeRoom()
    })
    this.#db.query("PRAGMA incremental_vacuum").all()
  }

  close(): void {
    this.#db.close()
    this.#file[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #makeRoom(): void {
    const maxBytes = this.#options.maxBytes ?? MAX_BYTES
    const evict = this.#db.query(
      "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY used, id LIMIT ?)",
    )
    while (this.#usedBytes() > maxBytes) {
      const { count } = this.#db.query<{ count: number }, []>("SELECT count(*) AS count FROM vectors").get()!
      if (count === 0) return
      evict.run(Math.ceil(count * EVICTED_SHARE))
    }
  }

  #usedBytes(): number {
    const number = (pragma: string) =>
      this.#db.query<Record<string, number>, []>(`PRAGMA ${pragma}`).get()![pragma]!
    return (number("page_count") - number("freelist_count")) * number("page_size")
  }

  #spaceId({ provider, model, dimensions, version }: Omit<SpaceRow, "id">): number {
    const name = JSON.stringify([provider, model, dimensions, version])
    this.#db.query("INSERT OR IGNORE INTO spaces (name) VALUES (?)").run(name)
    return this.#db.query<{ id: number }, [string]>("SELECT id FROM spaces WHERE name = ?").get(name)!.id
  }

  #today(): number {
    return Math.floor(this.#options.now() / DAY_MS)
  }

  #transaction<T>(act: () => T): T {
    try {
      return this.#db.transaction(act).immediate()
    } catch (error) {
      throw storeError(error, this.#path)
    }
  }
}

function openCache(path: string): Database {
  const db = openDatabase(path, "create", { rights: 0o600 })
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    // One transaction reads the version and the list of tables together, because another process may be creating them.
    db.transaction(() => expectOurs(db, path)).deferred()
    // Readable by the user only: anyone who knows a text could tell from its hash that the user has it.
    chmodSync(path, 0o600)
    if (schemaVersion(db) === 0) {
      // With pages of 4 KiB, a row of 2 KiB and its hash would leave half of each page empty.
      db.run("PRAGMA page_size = 16384")
      db.run("PRAGMA auto_vacuum = INCREMENTAL")
    }
    db.run("PRAGMA journal_mode = WAL")
    db.run("PRAGMA synchronous = NORMAL")
    db.transaction(() => create(db)).immediate()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Throws if another program or a newer aman made the database. Called before the database is changed. */
function expectOurs(db: Database, path: string): void {
  const version = schemaVersion(db)
  if (version > SCHEMA_VERSION)
    throw new AmanError(
      "INDEX_NEWER",
      `${displayPath(path)} was written by a newer aman (schema ${version})`,
      {
        hint: "update aman, or delete the file",
      },
    )
  const columns = db
    .query<{ name: string }, []>(
      `SELECT t.name || '.' || c.name AS name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
       WHERE t.type <> 'index' AND t.name NOT LIKE 'sqlite_%'`,
    )
    .all()
  const names = columns.map(({ name }) => name).sort()
  if (names.join() !== (version === 0 ? "" : COLUMNS))
    throw new AmanError("INDEX_CORRUPT", `${displayPath(path)} was not written by aman`)
}

const COLUMNS = "spaces.id,spaces.name,vectors.hash,vectors.id,vectors.row,vectors.space_id,vectors.used"

function create(db: Database): void {
  if (schemaVersion(db) === SCHEMA_VERSION) return
  db.run("CREATE TABLE spaces (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
  db.run(`CREATE TABLE vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    space_id INTEGER NOT NULL,
    hash BLOB NOT NULL,
    used INTEGER NOT NULL,
    row BLOB NOT NULL,
    UNIQUE (space_id, hash)
  )`)
  db.run("CREATE INDEX vectors_by_use ON vectors (used, id)")
  db.run(`PRAGMA user_version = ${SCHEMA_VERSION}`)
}
