/** Causes a caller can tell apart; the exit code of the process follows from it. */
export type ErrorCode =
  | "USAGE"
  | "NO_ROOT"
  | "NOT_FOUND"
  | "OUTSIDE_ROOT"
  | "NOT_TEXT"
  | "INDEX_MISSING"
  | "INDEX_CORRUPT"
  | "INDEX_NEWER"
  | "INDEX_FOREIGN"
  | "INDEX_BUSY"
  | "KNOWLEDGE_CORRUPT"
  | "KNOWLEDGE_NEWER"
  | "KNOWLEDGE_BUSY"
  | "NOT_NEW"
  | "CREDENTIAL"
  | "MEMORY_LIMIT"
  | "INTERRUPTED"
  | "EMBEDDER"
  | "REPOSITORY"
  | "REPOS_BUSY"
  | "IO"

/** The one error a user may see: what happened, and in `hint` what to do about it. */
export class AmanError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = "AmanError"
    this.code = code
    this.hint = options.hint
  }
}
