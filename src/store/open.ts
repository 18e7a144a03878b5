import { Database } from "bun:sqlite"
import { existsSync, rmSync } from "node:fs"
import { AmanError } from "../base/errors.ts"
import { migrate, schemaVersion } from "./migrate.ts"
import { MIGRATIONS } from "./migrations/list.ts"
import { openFrozen } from "./open-frozen.ts"
import { waitAtMost } from "./patience.ts"
import { storeError } from "./sqlite-error.ts"
import { Store } from "./store.ts"

/** How long a statement waits for another process's commit. */
const BUSY_TIMEOUT_MS = 5000
/** Pages kept in private memory; a reader's others are the system's, which has them at hand as quickly. */
const WRITER_CACHE_KIB = 16_384
const READER_CACHE_KIB = 2_048
/**
 * How much of the file a reader may map. Mapped pages are shared and evictable but count as resident, and a writer
 * touches all of them in the course of a large index.
 */
const READER_MMAP_BYTES = 64 << 20
/** After a checkpoint the log is cut back to this, so that one large index does not leave a large -wal. */
const WAL_LIMIT_BYTES = 16 << 20

export type OpenOptions = {
  readonly readonly?: boolean
  /** Whether a reader maps the file: quicker for many small questions, no gain to who reads all of it once. */
  readonly isMapped?: boolean
  /** What an index that may be believed carries; a new one gets it. Absent: any. */
  readonly id?: number | undefined
}

/**
 * Opens a project's index, making it first unless `readonly`. INDEX_MISSING, INDEX_CORRUPT (delete with
 * `deleteStore` and rebuild), INDEX_NEWER and INDEX_FOREIGN (another id) tell the caller what to do.
 */
export function openStore(path: string, options: OpenOptions = {}): Store {
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
 * The id that an index carries, read without running anything of its schema; null where there is no database. Of the
 * file as it lies, in a sixth of the time: it gets its id before it ever has a log.
 */
export function readIndexId(path: string): number | null {
  return readHeader(path, idOf, openFrozen)
}

/**
 * True for an index of an older schema: this aman's readers see none there until who leads has brought it up to date.
 */
export function isOfOlderSchema(path: string): boolean {
  const found = readHeader(path, schemaVersion)
  return found !== null && found > 0 && found < MIGRATIONS.length
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

/** Removes an index and its log; only while nobody in this process has it open. */
export function deleteStore(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true })
}

function openForWriting(path: string, id: number | undefined): Database {
  const db = new Database(path, { create: true, readwrite: true })
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    // A new file needs no syncs: should the power fail now, it is found damaged or empty and made again.
    if (schemaVersion(db) === 0) {
      db.run("PRAGMA synchronous = OFF")
      // Folds free what waited here, often most of the file; see Store.checkpoint.
      db.run("PRAGMA auto_vacuum = INCREMENTAL")
      if (id !== undefined && idOf(db) === 0) db.run(`PRAGMA application_id = ${id}`)
    } else if (id !== undefined && idOf(db) !== id) throw foreign(path)
    db.run("PRAGMA journal_mode = WAL")
    migrate(db, MIGRATIONS)
    db.run("PRAGMA synchronous = NORMAL")
    db.run(`PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES}`)
    tune(db, 0, WRITER_CACHE_KIB)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * In a folder that cannot be written, a log that nobody has open cannot be read either; where there is no log
 * the file itself is all there is, and is read as it lies (frozen).
 */
function openForReading(path: string, isMapped: boolean): { db: Database; frozen: boolean } {
  const mmapBytes = isMapped ? READER_MMAP_BYTES : 0
  const db = new Database(path, { readonly: true })
  try {
    db.run(`PRAGMA busy_timeout = ${waitAtMost(BUSY_TIMEOUT_MS)}`)
    schemaVersion(db)
    tune(db, mmapBytes, READER_CACHE_KIB)
    return { db, frozen: false }
  } catch (error) {
    db.close()
    const code = (error as { code?: string }).code ?? ""
    if (!/CANTOPEN|READONLY/.test(code) || existsSync(`${path}-wal`)) throw error
    const frozen = openFrozen(path)
    tune(frozen, mmapBytes, READER_CACHE_KIB)
    return { db: frozen, frozen: true }
  }
}

function tune(db: Database, mmapBytes: number, cacheKib: number): void {
  db.run(`PRAGMA cache_size = -${cacheKib}`)
  db.run(`PRAGMA mmap_size = ${mmapBytes}`)
  db.run("PRAGMA temp_store = MEMORY")
}

function checkVersion(db: Database, path: string, readonly: boolean): void {
  const found = schemaVersion(db)
  if (found > MIGRATIONS.length)
    throw new AmanError("INDEX_NEWER", `${path} was written by a newer aman (schema ${found})`, {
      hint: "update this aman, or delete that file and run: aman index",
    })
  if (readonly && found < MIGRATIONS.length) throw missing(path)
}

/** SQLite's field for who made a file: of the header, so that no schema is looked at before it is known to be ours. */
function idOf(db: Database): number {
  return db.query<{ application_id: number }, []>("PRAGMA application_id").get()!.application_id
}

function foreign(path: string): AmanError {
  return new AmanError("INDEX_FOREIGN", `${path} was not made by this user's aman`, {
    hint: "run: aman index",
  })
}

function missing(path: string): AmanError {
  return new AmanError("INDEX_MISSING", `no index at ${path}`, { hint: "run: aman index" })
}
