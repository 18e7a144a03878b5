import { AmanError, type ErrorCode } from "./errors.ts"
import { displayPath } from "./paths.ts"

const MAKE_ROOM = "free disk space, and try again"

/** Hints for error codes whose cause is neither the file nor the user's permissions. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  EIO: "the disk or its file system may be failing: check the system's log, then try again",
  ENOSPC: MAKE_ROOM,
  EDQUOT: MAKE_ROOM,
  EFBIG: "the limit on file size (ulimit -f) is reached: raise it, and try again",
  EMFILE: "raise the limit on open files (ulimit -n), and try again",
  ENFILE: "too many files are open on this machine: close other programs, and try again",
  ENOMEM: "not enough memory is free: close other programs, and try again",
  ENOLCK: "this file system has no file locks: use another folder (AMAN_INDEX_DIR, AMAN_DATA_DIR)",
}

const RIGHTS_HINT = "check the permissions of this file and its folder, and try again"
const HINTS: Readonly<Record<string, string>> = {
  ...NEXT_STEPS,
  EACCES: RIGHTS_HINT,
  EPERM: RIGHTS_HINT,
  EROFS:
    "this file system is read-only: make it writable, or use another folder (AMAN_INDEX_DIR, AMAN_DATA_DIR)",
}
const OTHER_HINT = "check what is at this path, and try again"

const DATABASE_HINT =
  "the disk, its quota or the permissions of aman's folders may be the cause: run aman doctor, and try again"
const MEMORY_HINT = NEXT_STEPS["ENOMEM"]!

/** The message of the runtime when a thread cannot be started. The error has no code. */
const NO_THREAD = "Failed to spawn worker thread"
const THREAD_HINT =
  "memory or the limit on threads (ulimit -u) is exhausted: close other programs or raise it, and try again"

/**
 * Creates an IO error, with cause and next step, if the operating system or SQLite refused an operation; null for any
 * other error. A worker thread must convert an error before it sends it, because an error loses its fields when it is
 * sent.
 */
export function systemError(error: unknown): AmanError | null {
  if (!(error instanceof Error) || error instanceof AmanError) return null
  if (error.message === NO_THREAD)
    return new AmanError("IO", "the system refused a thread", { hint: THREAD_HINT, cause: error })
  const { code } = error as { readonly code?: unknown }
  if (typeof code !== "string") return null
  if (/^SQLITE_(?:IOERR|FULL|CANTOPEN|READONLY|PERM|NOMEM|NOLFS|PROTOCOL)/.test(code))
    return databaseError(error, code)
  // Codes that begin with ERR_ are node's own and not the system's.
  if (!/^E[A-Z0-9]+$/.test(code)) return null
  return new AmanError("IO", error.message, { hint: HINTS[code] ?? OTHER_HINT, cause: error })
}

function databaseError(error: Error, code: string): AmanError {
  const hint = code.startsWith("SQLITE_NOMEM") ? MEMORY_HINT : DATABASE_HINT
  return new AmanError("IO", `a database could not be read or written: ${error.message}`, {
    hint,
    cause: error,
  })
}

/**
 * The fields of an error as a plain object, which a worker thread can send; the class of an error is lost when it is
 * sent.
 */
export type ErrorFields = {
  readonly message: string
  /** Code of an AmanError; absent for other errors. */
  readonly code?: ErrorCode
  readonly hint?: string | undefined
}

export function errorFields(thrown: unknown): ErrorFields {
  const error = systemError(thrown) ?? thrown
  if (error instanceof AmanError) return { message: error.message, code: error.code, hint: error.hint }
  return { message: error instanceof Error ? error.message : String(error) }
}

/**
 * Creates an IO error for a file or folder that could not be written. `hint` is used if NEXT_STEPS has no hint for the
 * cause.
 */
export function cannotWrite(path: string, cause: unknown, hint: string): AmanError {
  if (cause instanceof AmanError) return withPath(path, cause, hint)
  const { code, message } = cause as NodeJS.ErrnoException
  const isFull = code === "ENOSPC" || code === "EDQUOT"
  // Only the reason is taken from the message. "ENOENT: no such file or directory, open '/a/b'" also contains the path,
  // or a temporary name.
  const why = isFull ? "the disk is full" : (/^[A-Z]+: ([^,]+),/.exec(message)?.[1] ?? message)
  return new AmanError("IO", `cannot write ${displayPath(path)}: ${why}`, {
    hint: (typeof code === "string" ? NEXT_STEPS[code] : undefined) ?? hint,
    cause,
  })
}

/** Adds path and hint to the error that is thrown when a folder that aman holds open was replaced. */
function withPath(path: string, cause: AmanError, hint: string): AmanError {
  if (cause.message.startsWith("cannot write ")) return cause
  return new AmanError("IO", `cannot write ${displayPath(path)}: ${cause.message}`, {
    hint: cause.hint === undefined ? hint : `${cause.hint}; else ${hint}`,
    cause,
  })
}
