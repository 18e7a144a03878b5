import type { CodeSymbol } from "../../code/parsed-file.ts"
import { innerPath, isStillThere } from "../../git/inner-path.ts"
import { type IndexedText, readAsWritten, type Unreadable } from "../../text/files/read-source.ts"
import { type NormalizedLines, normalizedLines } from "./normalized-lines.ts"

/** A project on this machine, with what checking sources needs. */
export type LocalProject = {
  readonly root: string
  /** Absolute paths that are never read: the index and the user's own data. */
  readonly ownFolders: readonly string[]
  readonly maxFileBytes: number
  /** The text that the project's index has of a document; absent without an index. */
  readonly indexedText?: IndexedText
  /** Places where the project's index knows a symbol; absent without an index. */
  readonly findSymbol?: (name: string) => readonly SymbolPlace[]
  /**
   * The definitions of a file according to the index; null when the index is stale for it, and the file is
   * parsed instead.
   */
  readonly definitionsOf?: (path: string) => readonly Definition[] | null
}

export type Definition = Pick<CodeSymbol, "name" | "owner" | "startLine" | "endLine"> & {
  readonly kind: string
}

export type SymbolPlace = { readonly path: string; readonly startLine: number; readonly endLine: number }

/** Why a source's file cannot be read. */
export type UnreadableReason =
  | "missing"
  | "outside the project"
  | "may hold secrets"
  | "not text"
  | "too large"
  | "not readable"

/**
 * The lines of a file, or why it was not read; files outside the project or with possible secrets are not
 * read.
 */
export function readLines(place: LocalProject, path: string): NormalizedLines | UnreadableReason {
  const found = fileOrFolderAt(place, path)
  if (typeof found === "string") return found
  if (!found.isFile) return "not text"
  const source = readAsWritten(place.root, found.path, place.maxFileBytes, {
    mayRead: (opened) => isStillThere(place.root, found.path, opened),
    ...(place.indexedText && { indexedText: place.indexedText }),
  })
  return "reason" in source ? reasonOf(source) : normalizedLines(source.text)
}

function reasonOf({ reason }: Unreadable): UnreadableReason {
  return reason in REASONS ? REASONS[reason as keyof typeof REASONS] : "not text"
}

const REASONS = {
  unreadable: "not readable",
  "not a file": "not text",
  "too large": "too large",
  secret: "may hold secrets",
} as const satisfies Partial<Record<Unreadable["reason"], UnreadableReason>>

/** The file or folder at a path, or why it may not be read. */
export function fileOrFolderAt(
  { root, ownFolders }: LocalProject,
  path: string,
): { path: string; isFile: boolean } | UnreadableReason {
  const found = innerPath(root, path, ownFolders)
  if (typeof found === "string") return REFUSALS[found]
  return { path: found.path, isFile: found.stat.isFile() }
}

const REFUSALS = { missing: "missing", outside: "outside the project", private: "may hold secrets" } as const
