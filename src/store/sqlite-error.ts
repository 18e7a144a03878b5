import { SQLiteError } from "bun:sqlite"
import { AmanError } from "../base/errors.ts"

/** SQLite's reasons in our terms; whatever is no failure of the database passes through unchanged. */
export function storeError(error: unknown, path: string): unknown {
  if (!(error instanceof SQLiteError)) return error
  const code = error.code ?? ""
  const cause = { cause: error }
  if (code.startsWith("SQLITE_CORRUPT") || code.startsWith("SQLITE_NOTADB"))
    return new AmanError("INDEX_CORRUPT", `${path} is damaged: ${error.message}`, {
      hint: "it holds nothing that cannot be rebuilt: delete it, or run: aman index",
      ...cause,
    })
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"))
    return new AmanError("INDEX_BUSY", `another process is writing ${path}`, {
      hint: "try again in a moment",
      ...cause,
    })
  if (isAboutTheDisk(code)) return new AmanError("IO", `${path}: ${error.message}`, cause)
  return error
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
