import type { CodeSymbol } from "../../code/parsed-file.ts"
import { innerPath, isStillThere } from "../../git/inner-path.ts"
import { readSource } from "../../text/read-source.ts"
import { type Lines, linesOf } from "./lines.ts"

/** A project on this machine, as far as sources need it. */
export type Place = {
  readonly root: string
  /** Absolute; never read from: the index, the user's own data. */
  readonly ownFolders: readonly string[]
  readonly maxFileBytes: number
  /** Where the project's index knows a symbol; absent without an index. */
  readonly findSymbol?: (name: string) => readonly SymbolPlace[]
  /**
   * What the index says that a file defines; null where it does not know the file as it is now, which is then parsed.
   */
  readonly definitionsOf?: (path: string) => readonly Definition[] | null
}

export type Definition = Pick<CodeSymbol, "name" | "owner" | "startLine" | "endLine">

export type SymbolPlace = { readonly path: string; readonly startLine: number; readonly endLine: number }

/** Why nothing can be read where a source points to. */
export type NotRead =
  | "missing"
  | "outside the project"
  | "may hold secrets"
  | "not text"
  | "too large"
  | "not readable"

/** The text of a file, line by line; nothing of what lies outside or may hold secrets. */
export function readLines(place: Place, path: string): Lines | NotRead {
  const found = lookAt(place, path)
  if (typeof found === "string") return found
  if (!found.isFile) return "not text"
  const source = readSource(place.root, found.path, place.maxFileBytes, (opened) =>
    isStillThere(place.root, found.path, opened),
  )
  return "reason" in source ? REASONS[source.reason] : linesOf(source.text)
}

const REASONS = {
  unreadable: "not readable",
  "not a file": "not text",
  "too large": "too large",
  binary: "not text",
  secret: "may hold secrets",
} as const

/** What is there, if it may be read. */
export function lookAt(
  { root, ownFolders }: Place,
  path: string,
): { path: string; isFile: boolean } | NotRead {
  const found = innerPath(root, path, ownFolders)
  if (typeof found === "string") return REFUSALS[found]
  return { path: found.path, isFile: found.stat.isFile() }
}

const REFUSALS = { missing: "missing", outside: "outside the project", private: "may hold secrets" } as const
