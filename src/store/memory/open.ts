import { Database } from "bun:sqlite"
import { chmodSync, existsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { AmanError } from "../../base/errors.ts"
import { cannotWrite } from "../../base/files/cannot-write.ts"
import { fileIdentity } from "../../base/files/files.ts"
import { type FileInFolder, openFolderOf } from "../../base/files/open-folder.ts"
import { displayPath } from "../../base/paths.ts"
import { limitedWaitMs } from "../lock/lead.ts"
import { openDatabase } from "../open-database.ts"
import { isFull, knowledgeError, migrate, openFrozen, schemaVersion } from "../sqlite-error.ts"
import { BUSY_TIMEOUT_MS } from "./begin.ts"
import { KnowledgeStore } from "./knowledge-store.ts"
import { KNOWLEDGE_MIGRATIONS } from "./migrations/list.ts"
import { refuseNewer } from "./refuse-newer.ts"
import { sealRows } from "./seal.ts"

/** Options for the file: its user only may read it. Hard links are allowed, because users may keep them as backups. */
const OWN = { rights: 0o600, maxHardLinks: Number.POSITIVE_INFINITY }

const CACHE_KIB = 16_384
const WAL_LIMIT_BYTES = 4 << 20

/**
 * Opens the user's knowledge. Creates the file if it is missing; with `readonly`, a missing file counts as an empty
 * store. Throws KNOWLEDGE_CORRUPT or KNOWLEDGE_NEWER without changing the file, because it cannot be rebuilt.
 */
export function openKnowledgeStore(path: string, options: { readonly?: boolean } = {}): KnowledgeStore {
  const readonly = options.readonly ?? false
  let db: Database | undefined
  let file: FileInFolder | null = null
  try {
    if (path !== ":memory:") file = readonly ? openFolderOf(path) : openNew(path)
    const at = file?.at ?? path
    if (readonly && !existsSync(at)) {
      file?.[Symbol.dispose]()
      return new KnowledgeStore(empty(), path, true, null)
    }
    // The identity is read before opening: while a recovery runs, opening may wait and then return the file that the
    // recovery has replaced.
    const identity = fileIdentity(at)
    db = readonly ? openForReading(at) : openForWriting(at)
    return new KnowledgeStore(db, path, readonly, file?.folder ?? null, identity)
  } catch (error) {
    db?.close()
    file?.[Symbol.dispose]()
    throw knowledgeError(error, path)
  }
}

function openForWriting(path: string): Database {
  const db = openDatabase(path, "create", OWN)
  try {
    if (path !== ":memory:") keepPrivate(path)
    // This comes first, because every later statement may have to wait for another process.
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    refuseNewer(db, path)
    db.run("PRAGMA journal_mode = WAL")
    // The log is synced at each commit, so that data survives a power failure once a write has succeeded. Measured:
    // 0.25 ms per commit.
    db.run("PRAGMA synchronous = FULL")
    migrate(db, KNOWLEDGE_MIGRATIONS)
    sealRows(db)
    db.run(`PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES}`)
    tune(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Opens the file for reading. If the folder is read-only or the disk is full, a file without a log is opened as
 * immutable.
 */
function openForReading(path: string): Database {
  const db = openDatabase(path, "read", OWN)
  try {
    db.run(`PRAGMA busy_timeout = ${limitedWaitMs(BUSY_TIMEOUT_MS)}`)
    return openReadable(db, path)
  } catch (error) {
    db.close()
    if (!isAllInTheFile(error, path)) throw error
    return openReadable(openFrozen(path), path)
  }
}

/**
 * True if the file can be read without its log: in a folder that cannot be written to, if there is none. On a full disk
 * a failed writer leaves an empty log, which contains no data.
 */
function isAllInTheFile(error: unknown, path: string): boolean {
  const code = (error as { code?: string }).code ?? ""
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  if (/CANTOPEN|READONLY/.test(code)) return log === undefined
  return isFull(code) && (log?.size ?? 0) === 0
}

function openReadable(db: Database, path: string): Database {
  refuseNewer(db, path)
  if (schemaVersion(db) === 0) {
    // The file has no tables, because the process that created it was killed before its first transaction.
    db.close()
    return empty()
  }
  tune(db)
  return db
}

function empty(): Database {
  const db = new Database(":memory:")
  migrate(db, KNOWLEDGE_MIGRATIONS)
  return db
}

function tune(db: Database): void {
  db.run(`PRAGMA cache_size = -${CACHE_KIB}`)
  db.run("PRAGMA temp_store = MEMORY")
  // Detects more kinds of damaged pages before their content is used.
  db.run("PRAGMA cell_size_check = ON")
}

/** Makes the file readable by the user only; throws if that is not possible. */
function keepPrivate(path: string): void {
  try {
    chmodSync(path, 0o600)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const hint = "set AMAN_DATA_DIR to a folder of your own"
    if (code !== "EPERM" && code !== "ENOTSUP") throw cannotWrite(path, error, hint)
    // The file belongs to another user, or its file system has no permissions. It may still be writable.
    throw new AmanError("IO", `${displayPath(path)} cannot be made private: ${message}`, {
      hint,
      cause: error,
    })
  }
}

function openNew(path: string): FileInFolder {
  try {
    return openFolderOf(path, { make: 0o700 })
  } catch (error) {
    throw cannotWrite(dirname(path), error, "set AMAN_DATA_DIR to another folder")
  }
}
