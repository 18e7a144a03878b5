import type { Database } from "bun:sqlite"
import { existsSync } from "node:fs"
import { AmanError, displayPath } from "../../base/index.ts"
import { limitedWaitMs } from "../lock/lead.ts"
import { openDatabase } from "../open-database.ts"
import { migrate, openFrozen, schemaVersion, storeError } from "../sqlite-error.ts"
import { MIGRATIONS } from "./migrations.ts"
import { Store } from "./store.ts"

/** Maximum time in ms that a statement waits for another process's commit. */
const BUSY_TIMEOUT_MS = 5000
/**
 * Sizes of SQLite's page caches, in KiB of private memory. A reader needs a small one, because it reads mapped pages
 * just as fast.
 */
const WRITER_CACHE_KIB = 16_384
const READER_CACHE_KIB = 2_048
/** Page cache of a reader that does not map the file. Without a cache, each repeated read of a page takes 2 µs. */
const UNMAPPED_CACHE_KIB = 8_192
/**
 * Maximum number of bytes of the file that a reader maps. Mapped pages are shared and can be evicted, but count as
 * resident memory. A writer maps nothing, because a large index run would access every page.
 */
const READER_MMAP_BYTES = 64 << 20
/** The log is truncated to this size after a checkpoint, so that a large index run does not leave a large -wal file. */
const WAL_LIMIT_BYTES = 16 << 20

export type IndexOpenOptions = {
  readonly readonly?: boolean
  /**
   * True if a reader maps the file. This is faster for many small queries, but not when the whole file is read once.
   */
  readonly isMapped?: boolean
  /** The id that the index must have, and that a new index gets. If absent, any index is accepted. */
  readonly id?: number | undefined
}

/**
 * Opens the index of a project; creates it if it is missing, unless `readonly` is set. Throws INDEX_MISSING,
 * INDEX_CORRUPT (then delete it and index again), INDEX_NEWER, or INDEX_FOREIGN if it has another
 * id.
 */
export function openStore(path: string, options: IndexOpenOptions = {}): Store {
  const { readonly = false, isMapped = true } = options
  if (readonly && !existsSync(path)) throw missing(path)
  let db: Database | undefined
  try {
    const opened = readonly
      ? openForReading(path, isMapped)
      : { db: openForWriting(path, options.id), frozen: false }
    db = opened.db
    if (options.id !== undefined && idOf(db) !== options.id) throw foreign(path)
    checkVersion(db, path, readonly)
    return new Store(db, path, { readonly, frozen: opened.frozen })
  } catch (error) {
    db?.close()
    throw storeError(error, path)
  }
}

/**
 * The id of an index; null if there is no readable database. Nothing from the schema is executed. The log is not read,
 * which saves five sixths of the time and loses nothing: the id is written before there is a log.
 */
export function readIndexId(path: string): number | null {
  return readHeader(path, idOf, openFrozen)
}

/**
 * True if the index has an older schema. Readers of this version treat such an index as missing until the leader has
 * migrated it.
 */
export function isOfOlderSchema(path: string): boolean {
  const version = readHeader(path, schemaVersion)
  return version !== null && version > 0 && version < MIGRATIONS.length
}

function readHeader(
  path: string,
  read: (db: Database) => number,
  open = (path: string) => openForReading(path, false).db,
): number | null {
  if (!existsSync(path)) return null
  let db: Database | undefined
  try {
    db = open(path)
    return read(db)
  } catch {
    return null
  } finally {
    db?.close()
  }
}

function openForWriting(path: string, id: number | undefined): Database {
  const db = openDatabase(path, "create", { foreign })
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    // A new file is created without syncs: after a power failure it is damaged or empty, and is then created again.
    if (schemaVersion(db) === 0) {
      db.run("PRAGMA synchronous = OFF")
      // A merge deletes the deltas, which are often most of the file; incremental vacuum returns their space. See
      // Store.checkpoint.
      db.run("PRAGMA auto_vacuum = INCREMENTAL")
      if (id !== undefined && idOf(db) === 0) db.run(`PRAGMA application_id = ${id}`)
    } else if (id !== undefined && idOf(db) !== id) throw foreign(path)
    db.run("PRAGMA journal_mode = WAL")
    migrate(db, MIGRATIONS)
    db.run("PRAGMA synchronous = NORMAL")
    db.run(`PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES}`)
    // Names and comments of a deleted file do not stay in the file; this takes .4 % of the processor time of an index.
    db.run("PRAGMA secure_delete = ON")
    tune(db, 0, WRITER_CACHE_KIB)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Opens the database for reading. In a read-only folder, SQLite cannot open the log of a database that no other process
 * has open. If there is no log, the file itself is complete and is opened as immutable (`frozen`).
 */
function openForReading(path: string, isMapped: boolean): { db: Database; frozen: boolean } {
  const mmapBytes = isMapped ? READER_MMAP_BYTES : 0
  const cacheKib = isMapped ? READER_CACHE_KIB : UNMAPPED_CACHE_KIB
  const db = openDatabase(path, "read", { foreign })
  try {
    db.run(`PRAGMA busy_timeout = ${limitedWaitMs(BUSY_TIMEOUT_MS)}`)
    schemaVersion(db)
    tune(db, mmapBytes, cacheKib)
    return { db, frozen: false }
  } catch (error) {
    db.close()
    const code = (error as { code?: string }).code ?? ""
    if (!/CANTOPEN|READONLY/.test(code) || existsSync(`${path}-wal`)) throw error
    const frozen = openFrozen(path)
    tune(frozen, mmapBytes, cacheKib)
    return { db: frozen, frozen: true }
  }
}

function tune(db: Database, mmapBytes: number, cacheKib: number): void {
  db.run(`PRAGMA cache_size = -${cacheKib}`)
  db.run(`PRAGMA mmap_size = ${mmapBytes}`)
  db.run("PRAGMA temp_store = MEMORY")
  // Detects more kinds of damaged pages before their content is used.
  db.run("PRAGMA cell_size_check = ON")
}

function checkVersion(db: Database, path: string, readonly: boolean): void {
  const version = schemaVersion(db)
  if (version > MIGRATIONS.length)
    throw new AmanError(
      "INDEX_NEWER",
      `${displayPath(path)} was written by a newer aman (schema ${version})`,
      {
        hint: "update aman, or delete that file and run: aman index",
      },
    )
  if (readonly && version < MIGRATIONS.length) throw missing(path)
}

/**
 * The id of the index, in the header field application_id of SQLite. Checking it first ensures that a foreign schema is
 * never read.
 */
function idOf(db: Database): number {
  return db.query<{ application_id: number }, []>("PRAGMA application_id").get()!.application_id
}

function foreign(path: string): AmanError {
  return new AmanError("INDEX_FOREIGN", `${displayPath(path)} was not built by your aman`, {
    hint: "run: aman index",
  })
}

function missing(path: string): AmanError {
  return new AmanError("INDEX_MISSING", `no index at ${displayPath(path)}`, { hint: "run: aman index" })
}
