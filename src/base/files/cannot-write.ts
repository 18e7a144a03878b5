import { AmanError } from "../errors.ts"
import { displayPath } from "../paths.ts"

const MAKE_ROOM = "free disk space, and try again"

/** Hints for error codes whose cause is neither the file nor the user's permissions. */
export const NEXT_STEPS: Readonly<Record<string, string>> = {
  EIO: "the disk or its file system may be failing: check the system's log, then try again",
  ENOSPC: MAKE_ROOM,
  EDQUOT: MAKE_ROOM,
  EFBIG: "the limit on file size (ulimit -f) is reached: raise it, and try again",
  EMFILE: "raise the limit on open files (ulimit -n), and try again",
  ENFILE: "too many files are open on this machine: close other programs, and try again",
  ENOMEM: "not enough memory is free: close other programs, and try again",
  ENOLCK: "this file system has no file locks: use another folder (AMAN_INDEX_DIR, AMAN_DATA_DIR)",
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
