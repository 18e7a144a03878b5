import { AmanError } from "./errors.ts"

/** IO for a file or folder that could not be written, with the cause; `hint` is for all causes but a full disk. */
export function cannotWrite(path: string, cause: unknown, hint: string): AmanError {
  const { code, message } = cause as NodeJS.ErrnoException
  const isFull = code === "ENOSPC" || code === "EDQUOT"
  // "ENOENT: no such file or directory, open '/a/b'" names the path again, or a passing name beside it.
  const why = isFull ? "the disk is full" : (/^[A-Z]+: ([^,]+),/.exec(message)?.[1] ?? message)
  return new AmanError("IO", `cannot write ${path}: ${why}`, {
    hint: isFull ? "make room, and try again" : hint,
    cause,
  })
}
