import { CFunction, type Pointer, ptr, read } from "bun:ffi"
import { Database } from "bun:sqlite"
import { closeSync, constants, lstatSync, openSync, type Stats } from "node:fs"
import { dirname } from "node:path"
import { AmanError, displayPath, modeIn } from "../base/index.ts"

/** Suffixes of the database file itself ("") and of the files that SQLite keeps beside it. */
export const DATABASE_SUFFIXES = ["", "-journal", "-wal", "-shm"] as const

/** "create" opens for writing and creates a missing database. */
export type OpenMode = "read" | "write" | "create"

type DatabaseOptions = {
  readonly foreign?: (path: string) => Error
  /** Maximum number of hard links of the database; a user may keep backups as hard links. */
  readonly maxHardLinks?: number
  /** Permissions of a new database, which its log inherits. If absent, the permissions of new files in the folder. */
  readonly rights?: number
}

/**
 * Opens one of aman's databases. Throws the error that `foreign` creates if the database, or a file that SQLite keeps
 * beside it, is a link, has further hard links, or is no regular file.
 */
export function openDatabase(path: string, mode: OpenMode, options: DatabaseOptions = {}): Database {
  const { foreign = notDatabaseFile, maxHardLinks = 1, rights } = options
  if (path === ":memory:") return new Database(path)
  if (!areDatabaseFiles(path, maxHardLinks)) throw foreign(path)
  if (isBelowDescriptor(path)) stayBelowDescriptors()
  if (mode === "read") return new Database(path, { readonly: true })
  if (mode === "create" && lstatSync(path, { throwIfNoEntry: false }) === undefined) makeEmpty(path, rights)
  return new Database(path, { readwrite: true, create: false })
}

/**
 * True if the database, and each file that SQLite keeps beside it, is either missing or a plain file with at most
 * `maxHardLinks` hard links.
 */
export function areDatabaseFiles(path: string, maxHardLinks = 1): boolean {
  return DATABASE_SUFFIXES.every((suffix) => {
    const found = lstatSync(path + suffix, { throwIfNoEntry: false })
    return found === undefined || (found.isFile() && found.nlink <= (suffix === "" ? maxHardLinks : 1))
  })
}

/**
 * The error for the first of a database's files that is not a plain file. Its message states what kind of file it is.
 */
function notDatabaseFile(path: string): AmanError {
  const names = DATABASE_SUFFIXES.map((suffix) => path + suffix)
  const found = names.flatMap((name) => {
    const stats = lstatSync(name, { throwIfNoEntry: false })
    return stats === undefined || (stats.isFile() && stats.nlink === 1)
      ? []
      : [[name, fileKind(stats)] as const]
  })[0]
  const [name, kind] = found ?? [path, "not a plain file"]
  return new AmanError(
    "IO",
    `${displayPath(name)} is ${kind}, but should be a regular file; it was not opened`,
    {
      hint: "move it away, and try again",
    },
  )
}

function fileKind(stats: Stats): string {
  if (stats.isDirectory()) return "a folder"
  if (stats.isSymbolicLink()) return "a symbolic link"
  if (stats.isFile()) return "a hard link of another file"
  return stats.isFIFO() ? "a named pipe" : "a device or a socket"
}

/**
 * Creates an empty database file with the right permissions, which the log inherits; SQLite would create a file that
 * every user can read. Must be called only if the file is missing, because closing a second descriptor of a database
 * releases this process's locks on it (POSIX).
 */
function makeEmpty(path: string, rights: number = modeIn(dirname(path))): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants
  try {
    closeSync(openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, rights))
  } catch (error) {
    // Another process created it first.
    if ((error as { code?: unknown }).code !== "EEXIST") throw error
  }
}

function isBelowDescriptor(path: string): boolean {
  return path.startsWith("/proc/self/fd/")
}

let isDone = false

/**
 * Makes SQLite use paths below /proc/self/fd without resolving them. Normally SQLite resolves links itself, component
 * by component, and later opens the log and the journal by the resolved path, where another folder may be by then.
 * `lstat` reports the path of a descriptor as a link, and `stat` as a folder; so SQLite's `lstat` is replaced by its
 * `stat` (sqlite3_vfs.xSetSystemCall). A link in place of the database file is still not followed (O_NOFOLLOW). The
 * replacement applies to all threads of the process. Without foreign function calls, SQLite opens the resolved path.
 */
function stayBelowDescriptors(): void {
  if (isDone || !Bun.isMainThread) return
  isDone = true
  try {
    using memory = new Database(":memory:")
    const vfs = addressOfVfs(memory)
    const name = (text: string) => ptr(Buffer.from(`${text}\0`))
    const getCall = CFunction({
      ptr: read.ptr(vfs, GET_SYSTEM_CALL) as Pointer,
      args: ["ptr", "ptr"],
      returns: "ptr",
    })
    const setCall = CFunction({
      ptr: read.ptr(vfs, SET_SYSTEM_CALL) as Pointer,
      args: ["ptr", "ptr", "ptr"],
      returns: "i32",
    })
    const stat = getCall(vfs, name("stat"))
    if (stat !== null) setCall(vfs, name("lstat"), stat)
  } catch {
    // Foreign function calls are not available.
  }
}

// Byte offsets of the pointers to xSetSystemCall and xGetSystemCall in struct sqlite3_vfs, version 3, with 64 bits
// (sqlite3.h).
const SET_SYSTEM_CALL = 144
const GET_SYSTEM_CALL = 152
const SQLITE_FCNTL_VFS_POINTER = 27

function addressOfVfs(db: Database): Pointer {
  const out = new BigUint64Array(1)
  db.fileControl(SQLITE_FCNTL_VFS_POINTER, out)
  const vfs = Number(out[0]) as Pointer
  if (vfs === 0 || read.i32(vfs, 0) < 3) throw new Error("no such SQLite")
  return vfs
}
