import { SQLiteError } from "bun:sqlite"
import { statSync } from "node:fs"
import { AmanError, type ErrorCode } from "../base/errors.ts"

const MORE_ROOM = "what is indexed is kept; make room, or name another folder with AMAN_INDEX_DIR"

/** What to say of a database, by what it is: an index can be made anew, knowledge cannot. */
export type StoreWords = {
  readonly corrupt: readonly [code: ErrorCode, hint: string]
  readonly busy: ErrorCode
  readonly moreRoom: string
  readonly unwritable?: string
}

const INDEX: StoreWords = {
  corrupt: ["INDEX_CORRUPT", "it holds nothing that cannot be rebuilt: delete it, or run: aman index"],
  busy: "INDEX_BUSY",
  moreRoom: MORE_ROOM,
}

/** SQLite's reasons in our terms; whatever is no failure of the database passes through unchanged. */
export function storeError(error: unknown, path: string, words: StoreWords = INDEX): unknown {
  if (!(error instanceof SQLiteError)) return error
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
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    return new AmanError("IO", `${path} is a folder where a file should be`, { hint: MOVE_FOLDER, ...cause })
  if (isFull(code)) return new AmanError("IO", `${path}: ${FULL}`, { hint: words.moreRoom, ...cause })
  const hint = WRITING.test(code) ? `${LIMITED}: ${words.moreRoom}` : words.unwritable
  return new AmanError("IO", `${path}: ${error.message}`, { ...(hint ? { hint } : {}), ...cause })
}

const MOVE_FOLDER = "move it away, and try again"
const FULL = "database or disk is full"

/** The disk is not full, but takes no more: SQLite says no more than that writing failed. */
const WRITING = /^SQLITE_IOERR_(?:WRITE|TRUNCATE|FSYNC)/
const LIMITED = "a quota or a limit on the size of files (ulimit -f) may be reached, or the disk fails"

/** The file beside the log that readers share cannot grow either: SQLite calls that an I/O error. */
export function isFull(code: string): boolean {
  return code.startsWith("SQLITE_FULL") || code === "SQLITE_IOERR_SHMSIZE"
}

/** A full disk, said alike wherever it shows; whatever else passes through unchanged. */
export function fullDisk(error: unknown, path: string): unknown {
  const code = (error as { code?: unknown } | null)?.code
  if (code !== "ENOSPC" && code !== "EDQUOT") return error
  return new AmanError("IO", `${path}: ${FULL}`, { hint: MORE_ROOM, cause: error })
}

function isAboutTheDisk(code: string): boolean {
  return ["SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM"].some((prefix) =>
    code.startsWith(prefix),
  )
}

/** True where the database itself is damaged, however the error came up. */
export function isDamage(error: unknown): boolean {
  const known = storeError(error, "")
  return known instanceof AmanError && known.code === "INDEX_CORRUPT"
}
