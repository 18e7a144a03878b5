import { posix } from "node:path"
import { BESIDE } from "../../base/file-flag.ts"
import { pathFlags } from "../../code/file-flags.ts"
import type { FileAmount } from "../../store/file-rows.ts"
import type { CentralSymbol } from "./central-symbols.ts"

export type MapFolder = {
  /** "." for the top. */
  readonly path: string
  /** Those below it that no other folder of the map counts. */
  readonly files: number
  /** Most first, at most two. */
  readonly languages: readonly string[]
  /** Names of the most central of what it defines, at most three. */
  readonly symbols: readonly string[]
}

const MOST_FOLDERS = 60
const MOST_NAMES = 3
const MOST_LANGUAGES = 2

/**
 * Which folder of the map a file counts with: its own, unless that one is too small to be told, or, of tests, examples
 * and the like, the outermost that is all of that kind.
 */
export function folderOfFile(files: readonly FileAmount[]): (path: string) => string {
  const beside = outermostBeside()
  const own = new Map<string, string>()
  const weights = new Map<string, number>()
  let total = 0
  for (const { path, size, content, flags } of files) {
    const folder = posix.dirname(path)
    // What a folder is called says as much of each file in it.
    const home = own.get(folder) ?? ((flags & BESIDE) === 0 ? null : beside(folder)) ?? folder
    own.set(folder, home)
    const weight = content === "code" ? size : size / 8
    weights.set(home, (weights.get(home) ?? 0) + weight)
    total += weight
  }
  const merged = mergeSmall(weights, total / (2 * MOST_FOLDERS))
  return (path) => {
    const home = own.get(posix.dirname(path)) ?? posix.dirname(path)
    return merged.get(home) ?? home
  }
}

export function mapFolders(
  files: readonly FileAmount[],
  folderOf: (path: string) => string,
  symbols: readonly CentralSymbol[],
): MapFolder[] {
  const byFolder = Map.groupBy(files, ({ path }) => folderOf(path))
  const names = Map.groupBy(symbols, ({ path }) => folderOf(path))
  return [...byFolder]
    .sort(([, one], [, other]) => sizeOf(other) - sizeOf(one))
    .slice(0, MOST_FOLDERS)
    .map(([path, inside]) => ({
      path,
      files: inside.length,
      languages: languagesOf(inside),
      symbols: [...new Set(names.get(path)?.map(({ name }) => name))].slice(0, MOST_NAMES),
    }))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** The outermost folder that is beside the project proper, by its name alone; null where none is. */
function outermostBeside(): (folder: string) => string | null {
  const known = new Map<string, string | null>()
  const find = (folder: string): string | null => {
    if (folder === ".") return null
    let found = known.get(folder)
    if (found === undefined) {
      found = find(posix.dirname(folder)) ?? ((pathFlags(`${folder}/`) & BESIDE) === 0 ? null : folder)
      known.set(folder, found)
    }
    return found
  }
  return find
}

/** Folders that weigh less than `least` count with what they are in, from the deepest on. */
function mergeSmall(weights: Map<string, number>, least: number): Map<string, string> {
  const deepest = Math.max(0, ...[...weights.keys()].map(depthOf))
  const into = new Map<string, string>()
  for (let depth = deepest; depth > 0; depth--) {
    for (const [folder, weight] of [...weights]) {
      if (depthOf(folder) !== depth || weight >= least) continue
      const parent = posix.dirname(folder)
      weights.set(parent, (weights.get(parent) ?? 0) + weight)
      weights.delete(folder)
      into.set(folder, parent)
    }
  }
  return new Map([...into.keys()].map((folder) => [folder, lastOf(folder, into)]))
}

function lastOf(folder: string, into: ReadonlyMap<string, string>): string {
  let at = folder
  for (let next = into.get(at); next !== undefined; next = into.get(at)) at = next
  return at
}

function depthOf(folder: string): number {
  return folder === "." ? 0 : folder.split("/").length
}

function sizeOf(files: readonly FileAmount[]): number {
  return files.reduce(
    (sum, { size, flags, content }) => sum + ((flags & BESIDE) === 0 && content === "code" ? size : size / 8),
    0,
  )
}

function languagesOf(files: readonly FileAmount[]): string[] {
  const counts = new Map<string, number>()
  for (const { language } of files) counts.set(language, (counts.get(language) ?? 0) + 1)
  return [...counts]
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .slice(0, MOST_LANGUAGES)
    .map(([language]) => language)
}
