import type { MatchWork } from "../../base/wildcards.ts"
import { anchoredMatcher, type GlobPattern, isLiteral } from "./ignore-pattern.ts"
import { lowerAscii, utf8Bytes, Wildmatch } from "./wildmatch.ts"

// Number of comparison steps that are always allowed; each takes 2 to 10 ns. A file with 500 patterns takes some 2,000
// steps for each path. A file that takes ten times as many, for each of many thousand paths, was made to slow down the
// programs that read it.
const FREE_STEPS = 200_000_000
const STEPS_PER_PATH = 20_000

/** The patterns of one file. The table finds the last pattern that matches a path. */
export type PatternTable = {
  /**
   * Position in the file of the last pattern that matches; −1 if none matches. `path` is relative to the folder of the
   * file.
   */
  last(path: string, name: string, isFolder: boolean): number
  /** Number of patterns that are compared one by one. */
  readonly globs: number
  /** True once comparing the globs has exceeded the limit of steps. From then on, globs are not compared. */
  readonly isSpent: boolean
}

/**
 * Creates the table. Nearly all real patterns are a plain name, "*.extension" or a plain path. These are looked up in
 * maps, so that their number does not matter; only other globs are compared one by one. Of all patterns that match, the
 * one with the last position in the file wins.
 */
export function tableOf(patterns: readonly GlobPattern[], ignoreCase: boolean): PatternTable {
  const tables: Tables = {
    names: new Table(),
    extensions: new Table(),
    paths: new Table(),
    globs: [],
    work: { steps: 0 },
  }
  for (const [position, pattern] of patterns.entries()) addPattern(tables, pattern, position, ignoreCase)
  tables.globs.reverse()
  let allowedSteps = FREE_STEPS
  const { work } = tables
  return {
    last: (path, name, isFolder) => {
      allowedSteps += STEPS_PER_PATH
      return lastMatch(tables, path, name, isFolder, ignoreCase, work.steps > allowedSteps)
    },
    globs: tables.globs.length,
    get isSpent() {
      return work.steps > allowedSteps
    },
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
  /** The patterns with wildcards, from the last to the first. */
  readonly globs: Glob[]
  readonly work: MatchWork
}

/**
 * For each name, path or extension that occurs as a pattern, its last position in the file. There are two positions:
 * for matching folders, and for matching anything else.
 */
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

/** Adds a pattern to the map for its kind or, if it has other wildcards, to the globs. */
function addPattern(
  tables: Tables,
  { glob, isAnchored, foldersOnly }: GlobPattern,
  position: number,
  ignoreCase: boolean,
): void {
  const key = ignoreCase ? lowerAscii(glob) : glob
  if (isLiteral(glob)) (isAnchored ? tables.paths : tables.names).add(key, position, foldersOnly)
  else if (!isAnchored && /^\*\.[^.*?[\\]+$/.test(glob))
    tables.extensions.add(key.slice(1), position, foldersOnly)
  else
    tables.globs.push({
      position,
      foldersOnly,
      matches: globMatcher(glob, isAnchored, ignoreCase, tables.work),
    })
}

function globMatcher(
  glob: string,
  isAnchored: boolean,
  ignoreCase: boolean,
  work: MatchWork,
): Glob["matches"] {
  if (isAnchored) return anchoredMatcher(glob, ignoreCase, work)
  const rest = glob.slice(1)
  if (glob.startsWith("*") && isLiteral(rest) && !ignoreCase) {
    return (_, name) => {
      work.steps++
      return name.endsWith(rest)
    }
  }
  const wildmatch = new Wildmatch(utf8Bytes(glob), ignoreCase)
  return (_, name) => wildmatch.matches(utf8Bytes(name), work)
}

function lastMatch(
  tables: Tables,
  path: string,
  name: string,
  isFolder: boolean,
  ignoreCase: boolean,
  isSpent: boolean,
): number {
  const [pathKey, nameKey] = ignoreCase ? [lowerAscii(path), lowerAscii(name)] : [path, name]
  let last = tables.names.get(nameKey, isFolder)
  if (!tables.extensions.isEmpty) {
    const dot = nameKey.lastIndexOf(".")
    if (dot >= 0) last = Math.max(last, tables.extensions.get(nameKey.slice(dot), isFolder))
  }
  if (!tables.paths.isEmpty) last = Math.max(last, tables.paths.get(pathKey, isFolder))
  if (isSpent) return last
  for (const glob of tables.globs) {
    if (glob.position < last) break
    if ((isFolder || !glob.foldersOnly) && glob.matches(path, name)) return glob.position
  }
  return last
}
