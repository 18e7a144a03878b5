import { type CodeSymbol, loadParse } from "../../parse/index.ts"
import { lastName } from "../../store/index.ts"
import { type IndexedTexts, readAsWritten, type Unreadable } from "../../text/index.ts"
import { innerPath, isStillThere } from "../../tree/index.ts"
import { type NormalizedLines, normalizedLines } from "./anchor.ts"

/** A project on this machine, with what checking sources needs. */
export type LocalProject = {
  readonly root: string
  /** Absolute paths that are never read: the index and the user's own data. */
  readonly ownFolders: readonly string[]
  readonly maxFileBytes: number
  /** What the project's index knows of the texts of files; absent without an index. */
  readonly indexed?: IndexedTexts
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

/** The lines of a file, or why it was not read; files outside the project or with possible secrets are not read. */
export function readLines(place: LocalProject, path: string): NormalizedLines | UnreadableReason {
  const found = fileOrFolderAt(place, path)
  if (typeof found === "string") return found
  if (!found.isFile) return "not text"
  const source = readAsWritten(place.root, found.path, place.maxFileBytes, {
    mayRead: (opened) => isStillThere(place.root, found.path, opened),
    ...(place.indexed && { indexed: place.indexed }),
  })
  if (!("reason" in source)) return normalizedLines(source.text)
  return source.reason in REASONS ? REASONS[source.reason as keyof typeof REASONS] : "not text"
}

const REASONS = {
  ...{ unreadable: "not readable", "not a file": "not text", "too large": "too large" },
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

/** A longer text is not parsed; its anchors are found by their lines alone. */
const MAX_PARSED_CHARS = 500_000

const TIMEOUT_MS = 1000

/** The definitions of a file, in file order. Parsing takes 10 ms, and more the first time, when the parser is loaded. */
export async function definitionsIn(
  place: LocalProject,
  path: string,
  { raw }: NormalizedLines,
): Promise<readonly Definition[]> {
  const known = place.definitionsOf?.(path)
  if (known) return known
  const text = raw.join("\n")
  if (text.length > MAX_PARSED_CHARS) return []
  const { DEFAULT_PARSE_OPTIONS, parseFile } = await loadParse()
  const { chunks } = await parseFile(path, text, { ...DEFAULT_PARSE_OPTIONS, timeoutMs: TIMEOUT_MS })
  return chunks.flatMap((chunk) => chunk.symbols)
}

/**
 * Definitions of `name`, `Owner.name`, `Owner::name` or `Owner#name`; the owner selects one of several
 * definitions of the same name.
 */
export function definitionsNamed(definitions: readonly Definition[], symbol: string): Definition[] {
  const exact = definitions.filter((definition) => definition.name === symbol)
  if (exact.length > 0) return exact
  const [name, owner] = symbol.split(/\.|::|#/u).reverse()
  const ofName = definitions.filter((definition) => lastName(definition.name) === name)
  if (owner === undefined) return ofName
  const owned = ofName.filter(
    (definition) => definition.owner !== null && lastName(definition.owner) === owner,
  )
  return owned.length > 0 ? owned : ofName.filter((definition) => definition.owner === null)
}

/** The name of the innermost definition around these lines; null at the top level. */
export function enclosing(definitions: readonly Definition[], first: number, last: number): string | null {
  const around = definitions.filter(({ startLine, endLine }) => startLine <= first && last <= endLine)
  const inner = around.sort((a, b) => a.endLine - a.startLine - (b.endLine - b.startLine))[0]
  if (inner === undefined) return null
  return inner.owner === null ? inner.name : `${inner.owner}.${inner.name}`
}
