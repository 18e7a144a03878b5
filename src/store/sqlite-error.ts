import { constants, Database, SQLiteError } from "bun:sqlite"
import { statSync } from "node:fs"
import { AmanError, cannotWrite, displayPath, type ErrorCode, systemError } from "../base/index.ts"

const MORE_ROOM = "indexed files are kept; free disk space, or set AMAN_INDEX_DIR to another folder"

/**
 * Error codes and hints for one kind of database. They differ, because an index can be rebuilt and knowledge cannot.
 */
export type StoreMessages = {
  readonly corrupt: readonly [code: ErrorCode, hint: string]
  readonly busy: ErrorCode
  readonly moreRoom: string
  readonly unwritable: string
}

const INDEX: StoreMessages = {
  corrupt: ["INDEX_CORRUPT", "to rebuild it: aman index"],
  busy: "INDEX_BUSY",
  moreRoom: MORE_ROOM,
  unwritable: "check the disk, quota and permissions of this folder, or set AMAN_INDEX_DIR to another one",
}

/** Converts an SQLite error to an AmanError. An error that is no failure of the database is returned unchanged. */
export function storeError(error: unknown, file: string, words: StoreMessages = INDEX): unknown {
  if (!(error instanceof SQLiteError)) return error
  const path = displayPath(file)
  const code = error.code ?? ""
  const cause = { cause: error }
  if (code.startsWith("SQLITE_CORRUPT") || code.startsWith("SQLITE_NOTADB")) {
    const [kind, hint] = words.corrupt
    return new AmanError(kind, `${path} is damaged: ${error.message}`, { hint, ...cause })
  }
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"))
    return new AmanError(words.busy, `another process is writing ${path}`, {
      hint: "try again in a moment",
      ...cause,
    })
  if (!isAboutTheDisk(code)) return error
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    return new AmanError("IO", `${path} is a folder, but should be a file`, { hint: MOVE_FOLDER, ...cause })
  if (isFull(code)) return new AmanError("IO", `${path}: ${FULL}`, { hint: words.moreRoom, ...cause })
  const hint = WRITING.test(code) ? `${LIMITED}: ${words.moreRoom}` : words.unwritable
  return new AmanError("IO", `${path}: ${error.message}`, { hint, ...cause })
}

const MOVE_FOLDER = "move it away, and try again"
const FULL = "database or disk is full"

/** Matches the codes of failed writes. For some full disks, SQLite reports these and gives no further reason. */
const WRITING = /^SQLITE_IOERR_(?:WRITE|TRUNCATE|FSYNC)/
const LIMITED = "a quota or the file size limit (ulimit -f) may be reached, or the disk is failing"

/** True if the disk is full. SQLite reports a full disk as an I/O error when the -shm file cannot be extended. */
export function isFull(code: string): boolean {
  return code.startsWith("SQLITE_FULL") || code === "SQLITE_IOERR_SHMSIZE"
}

/**
 * Converts a failed write of an index file, including one on a full disk, to an IO error. Other errors are returned
 * unchanged.
 */
export function fileError(error: unknown, path: string): unknown {
  if (!isNoRoom(error)) {
    const known = systemError(error)
    return known === null ? error : cannotWrite(path, error, known.hint!)
  }
  return new AmanError("IO", `${displayPath(path)}: ${FULL}`, { hint: MORE_ROOM, cause: error })
}

/** True for the error number of a full disk or an exhausted quota. */
export function isNoRoom(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === "ENOSPC" || code === "EDQUOT"
}

function isAboutTheDisk(code: string): boolean {
  return ["SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM"].some((prefix) =>
    code.startsWith(prefix),
  )
}

/** The error for an index that failed SQLite's integrity check. */
export function damagedIndex(path: string): AmanError {
  const [code, hint] = INDEX.corrupt
  return new AmanError(code, `${path} is damaged`, { hint })
}

/**
 * True if the error says that the database is damaged: either SQLite's own error, or the AmanError that was made of it.
 */
export function isDamage(error: unknown): boolean {
  const known = storeError(error, "")
  return known instanceof AmanError && known.code === "INDEX_CORRUPT"
}

/** Like `storeError`, with codes and hints for knowledge, which cannot be rebuilt. */
export function knowledgeError(error: unknown, path: string): unknown {
  return storeError(error, path, WORDS)
}

const WORDS: StoreMessages = {
  corrupt: [
    "KNOWLEDGE_CORRUPT",
    "nothing was changed; to rebuild it from what can be read, keeping the old file: aman memory recover",
  ],
  busy: "KNOWLEDGE_BUSY",
  moreRoom: "nothing was stored; free disk space, or set AMAN_DATA_DIR to another folder",
  unwritable: "make its folder writable, or set AMAN_DATA_DIR to another one",
}

/** Migrates a database to the newest schema. Its schema version is the number of migrations that were applied. */
export function migrate(db: Database, migrations: readonly string[]): void {
  if (schemaVersion(db) >= migrations.length) return
  db.transaction(() => {
    // The version is read again inside the transaction, because another process may have migrated the file in the
    // meantime.
    for (let next = schemaVersion(db); next < migrations.length; next++) db.run(migrations[next]!)
    db.run(`PRAGMA user_version = ${Math.max(schemaVersion(db), migrations.length)}`)
  }).immediate()
}

export function schemaVersion(db: Database): number {
  return db.query<{ user_version: number }, []>("PRAGMA user_version").get()!.user_version
}

/**
 * Opens a database as immutable, so that no file is created beside it. Only for read-only folders, and only if the
 * database has no log (-wal). Later commits of other processes are not visible.
 */
export function openFrozen(path: string): Database {
  const address = encodeURI(path).replaceAll("?", "%3f").replaceAll("#", "%23")
  // The flags are numeric, because with the option `readonly` Bun does not treat the path as a URI.
  return new Database(
    `file:${address}?immutable=1`,
    constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI,
  )
}

/** Thrown when the uses of one file cannot be read. The rest of the index may be intact. */
export class DamagedUses extends AmanError {
  readonly path: string

  constructor(path: string, cause: AmanError) {
    super(cause.code, cause.message, { ...(cause.hint ? { hint: cause.hint } : {}), cause })
    this.path = path
  }
}

/** Calls `read`, which reads a file's uses. Damaged data is thrown as DamagedUses with the file's path. */
export function readingUses<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof AmanError && isDamage(error) ? new DamagedUses(path, error) : error
  }
}
