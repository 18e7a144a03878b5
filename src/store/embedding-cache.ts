import { Database } from "bun:sqlite"
import { chmodSync, mkdirSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { AmanError } from "../base/errors.ts"
import type { SpaceRow } from "./spaces.ts"
import { storeError } from "./sqlite-error.ts"

/** 250,000 vectors of 1,024 numbers in f16. */
const MOST_BYTES = 512 << 20
const BUSY_TIMEOUT_MS = 5000
const SCHEMA_VERSION = 1
const DAY_MS = 86_400_000
/** What leaves at a time, so that not every write has to make room. */
const LEAVING_SHARE = 0.1

export type CacheOptions = {
  readonly mostBytes?: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export type CachedVector = {
  /** Of the text as it was sent. */
  readonly hash: Uint8Array
  readonly row: Uint8Array
}

/**
 * The vectors that were dear, those of Ollama and of servers, of all the user's projects, by the hash of their text.
 * Any number of processes may use it at once. The least recently used (by the day) leave when it has grown too large.
 */
export class EmbeddingCache {
  readonly #db: Database
  readonly #path: string
  readonly #options: CacheOptions

  private constructor(db: Database, path: string, options: CacheOptions) {
    this.#db = db
    this.#path = path
    this.#options = options
  }

  /** INDEX_CORRUPT where it is damaged or not ours, INDEX_NEWER where a newer aman wrote it, IO. */
  static open(path: string, options: CacheOptions): EmbeddingCache {
    try {
      return new EmbeddingCache(openDatabase(path), path, options)
    } catch (error) {
      throw storeError(error, path)
    }
  }

  /** In place of one that is damaged: it holds nothing that cannot be computed. */
  static openNew(path: string, options: CacheOptions): EmbeddingCache {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true })
    return EmbeddingCache.open(path, options)
  }

  /** What is known of these texts, in their order; null for the others. */
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
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #makeRoom(): void {
    const most = this.#options.mostBytes ?? MOST_BYTES
    const leave = this.#db.query(
      "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY used, id LIMIT ?)",
    )
    while (this.#usedBytes() > most) {
      const { count } = this.#db.query<{ count: number }, []>("SELECT count(*) AS count FROM vectors").get()!
      if (count === 0) return
      leave.run(Math.ceil(count * LEAVING_SHARE))
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

function openDatabase(path: string): Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const db = new Database(path, { create: true, readwrite: true })
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    // At one moment: another process may be making it.
    db.transaction(() => expectOurs(db, path)).deferred()
    // Whoever knows a text can tell from its hash that the user has it.
    chmodSync(path, 0o600)
    if (version(db) === 0) {
      // Of pages of 4 KiB, a row of 2 KiB and its hash would fill half.
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

/** Throws for what other programs or a newer aman have put there, before anything of it is changed. */
function expectOurs(db: Database, path: string): void {
  const found = version(db)
  if (found > SCHEMA_VERSION)
    throw new AmanError("INDEX_NEWER", `${path} was written by a newer aman (schema ${found})`, {
      hint: "update aman, or delete the file",
    })
  const columns = db
    .query<{ name: string }, []>(
      `SELECT t.name || '.' || c.name AS name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
       WHERE t.type <> 'index' AND t.name NOT LIKE 'sqlite_%'`,
    )
    .all()
  const names = columns.map(({ name }) => name).sort()
  if (names.join() !== (found === 0 ? "" : COLUMNS))
    throw new AmanError("INDEX_CORRUPT", `${path} is not what aman wrote`)
}

const COLUMNS = "spaces.id,spaces.name,vectors.hash,vectors.id,vectors.row,vectors.space_id,vectors.used"

function create(db: Database): void {
  if (version(db) === SCHEMA_VERSION) return
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

function version(db: Database): number {
  return db.query<{ user_version: number }, []>("PRAGMA user_version").get()!.user_version
}
