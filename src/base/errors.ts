import { displayPaths } from "./paths.ts"

/** Causes of errors that callers can distinguish. Each is mapped to an exit code of the process. */
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
  | "TEAM"
  | "IO"

/** The only kind of error that users see. The message says what happened, and `hint` says what to do about it. */
export class AmanError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  /** True if the user named a thing that aman does not know, such as a file outside of the project. */
  readonly isUnknownName: boolean

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; cause?: unknown; isUnknownName?: boolean } = {},
  ) {
    super(withUserPaths(message), options.cause === undefined ? undefined : { cause: options.cause })
    this.name = "AmanError"
    this.code = code
    this.isUnknownName = options.isUnknownName ?? code === "NOT_FOUND"
    this.hint = options.hint === undefined ? undefined : withUserPaths(options.hint)
  }
}

/** The message of anything thrown, as a part of a message for users. */
export function messageOf(error: unknown): string {
  return withUserPaths(error instanceof Error ? error.message : String(error))
}

/** The message of an error with its next step, as a notice. */
export function messageWithHint({ message, hint }: AmanError): string {
  return hint === undefined ? message : `${message} (${hint})`
}

/**
 * The system's messages contain paths such as `/proc/self/fd/7/x`, because aman opens files by descriptors of folders
 * (files/open-folder.ts). Replaces them by the paths of the files, and shortens a long message.
 */
function withUserPaths(text: string): string {
  return cutInMiddle(displayPaths(text))
}

const MAX_MESSAGE_LENGTH = 2_000

/** Cuts a long message in its middle, because messages quote the user's input, which may be a whole pasted file. */
function cutInMiddle(text: string): string {
  return text.length <= MAX_MESSAGE_LENGTH
    ? text
    : `${text.slice(0, MAX_MESSAGE_LENGTH * 0.8)} … ${text.slice(-MAX_MESSAGE_LENGTH * 0.2)}`
}
