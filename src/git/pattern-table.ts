import { type GlobPattern, isLiteral, matchesPath } from "./ignore-pattern.ts"
import { bytesOf, lowerAscii, wildmatch } from "./wildmatch.ts"

/** Patterns of one file, to be asked which of them matches last. */
export type PatternTable = {
  /** Position of the last pattern that matches, or −1. `path` is below the file's folder. */
  last(path: string, name: string, isFolder: boolean): number
  /** How many patterns are tried one by one. */
  readonly globs: number
}

/**
 * Nearly all real patterns are a plain name, "*.extension" or a plain path. Those are looked up, at a cost that does
 * not grow with their number; only real globs are tried one by one. The position of each pattern in the file
 * decides between what matches, so the looked-up and the tried can be mixed.
 */
export function tableOf(patterns: readonly GlobPattern[], ignoreCase: boolean): PatternTable {
  const tables: Tables = { names: new Table(), extensions: new Table(), paths: new Table(), globs: [] }
  for (const [position, pattern] of patterns.entries()) file(tables, pattern, position, ignoreCase)
  tables.globs.reverse()
  return {
    last: (path, name, isFolder) => lastMatch(tables, path, name, isFolder, ignoreCase),
    globs: tables.globs.length,
  }
}

type Glob = {
  readonly position: number
  readonly foldersOnly: boolean
  matches(path: string, name: string): boolean
}

type Tables = {
  readonly names: Table
  readonly extensions: Table
  readonly paths: Table
  /** Last one first. */
  readonly globs: Glob[]
}

/** Where in the file a literal stands last, for folders and for everything else. */
class Table {
  private readonly anything = new Map<string, number>()
  private readonly folders = new Map<string, number>()

  add(key: string, position: number, foldersOnly: boolean): void {
    this.folders.set(key, position)
    if (!foldersOnly) this.anything.set(key, position)
  }

  get(key: string, isFolder: boolean): number {
    return (isFolder ? this.folders : this.anything).get(key) ?? -1
  }

  get isEmpty(): boolean {
    return this.folders.size === 0
  }
}

function file(
  tables: Tables,
  { glob, isAnchored, foldersOnly }: GlobPattern,
  position: number,
  ignoreCase: boolean,
): void {
  const key = ignoreCase ? lowerAscii(glob) : glob
  if (isLiteral(glob)) (isAnchored ? tables.paths : tables.names).add(key, position, foldersOnly)
  else if (!isAnchored && /^\*\.[^.*?[\\]+$/.test(glob))
    tables.extensions.add(key.slice(1), position, foldersOnly)
  else tables.globs.push({ position, foldersOnly, matches: globMatcher(glob, isAnchored, ignoreCase) })
}

function globMatcher(glob: string, isAnchored: boolean, ignoreCase: boolean): Glob["matches"] {
  if (isAnchored) return (path) => matchesPath(glob, path, ignoreCase)
  const rest = glob.slice(1)
  if (glob.startsWith("*") && isLiteral(rest) && !ignoreCase) return (_, name) => name.endsWith(rest)
  const bytes = bytesOf(glob)
  return (_, name) => wildmatch(bytes, bytesOf(name), ignoreCase)
}

function lastMatch(
  tables: Tables,
  path: string,
  name: string,
  isFolder: boolean,
  ignoreCase: boolean,
): number {
  const [pathKey, nameKey] = ignoreCase ? [lowerAscii(path), lowerAscii(name)] : [path, name]
  let last = tables.names.get(nameKey, isFolder)
  if (!tables.extensions.isEmpty) {
    const dot = nameKey.lastIndexOf(".")
    if (dot >= 0) last = Math.max(last, tables.extensions.get(nameKey.slice(dot), isFolder))
  }
  if (!tables.paths.isEmpty) last = Math.max(last, tables.paths.get(pathKey, isFolder))
  for (const glob of tables.globs) {
    if (glob.position < last) break
    if ((isFolder || !glob.foldersOnly) && glob.matches(path, name)) return glob.position
  }
  return last
}
