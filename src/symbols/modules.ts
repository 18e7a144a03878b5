import { posix } from "node:path"
import { LRUCache } from "lru-cache"
import type { Targets } from "../index/index.ts"

/** A path in the parts that are compared with modules, so that it is split only once. */
export type ModulePath = {
  readonly path: string
  /** The path without its extension. */
  readonly bare: string
  /** `bare` without a last part such as `index` or `__init__`, which stands for the folder. */
  readonly folder: string
  /** The parts of `folder`, lower case. */
  readonly stem: readonly string[]
}

/**
 * A parsed import. `target`: the path that a relative import refers to. `targets`: the files to which a manifest maps
 * the import. Otherwise `words`, the words of the import in lower case.
 */
export type ImportQuery =
  | { readonly target: string }
  | { readonly targets: Targets; readonly words: readonly string[] }
  | { readonly words: readonly string[] }

/** How well an import fits a file: 1 for exactly that file, less for a related one, 0 for any other. */
export function moduleFits(wanted: ImportQuery, place: ModulePath): number {
  if ("target" in wanted) return fitsPath(wanted.target, place)
  if ("targets" in wanted) {
    const fit = fitsTargets(wanted.targets, place)
    return wanted.targets.isGuess ? Math.max(fit, moduleFits({ words: wanted.words }, place)) : fit
  }
  const { words } = wanted
  return Math.max(
    bestTail(words, words.length, place.stem),
    // In `a.b.C` and `crate::a::b::C`, the last word may be a definition in the module named before it.
    words.length > 1 ? 0.95 * bestTail(words, words.length - 1, place.stem) : 0,
  )
}

/** The last word of an import, lower case, without a version such as `v2`. */
export function lastPart(module: string): string {
  const parts = module.split(/[/\\.:]+/).filter((part) => part !== "" && !/^v\d+$/.test(part))
  return (parts.at(-1) ?? "").toLowerCase()
}

export function modulePath(path: string): ModulePath {
  const bare = withoutExtension(path)
  const folder = bare.replace(INDEX, "")
  return { path, bare, folder, stem: pathParts(path, folder) }
}

/** The parts of a path, lower case. In Rust, the crate `my-lib` is imported as `my_lib`. */
export function pathParts(path: string, bare: string): string[] {
  const plain = bare.toLowerCase()
  return (path.endsWith(".rs") ? plain.replaceAll("-", "_") : plain).split("/")
}

/**
 * Parses an import in the file `from`. `targets`: the files to which the project's manifests map the import; null when
 * they say nothing about it.
 */
export function parseImport(module: string, from: string, targets: Targets | null = null): ImportQuery {
  if (targets !== null) return { targets, words: moduleWords(module) }
  const target = targetOf(module, from)
  return target === null ? { words: moduleWords(module) } : { target }
}

/** True if the file at `parent` is that of the Rust module above the module in the file at `path`. */
export function isParentFile(parent: string, path: string): boolean {
  const folder = posix.dirname(path)
  const of = posix.basename(path) === "mod.rs" ? posix.dirname(folder) : folder
  return parent === `${of}.rs` || PARENT_NAMES.some((name) => parent === posix.join(of, name))
}

const PARENT_NAMES = ["mod.rs", "lib.rs", "main.rs"]

/**
 * The path that a relative import refers to: `./x`, `../x`, and Python's `.x` and `..x`. Null for an import
 * that is not relative.
 */
function targetOf(module: string, from: string): string | null {
  const folder = posix.dirname(from)
  if (/^\.\.?(?:\/|$)/.test(module)) return posix.normalize(posix.join(folder, module)).replace(/\/$/, "")
  const dots = /^\.+/.exec(module)?.[0].length ?? 0
  if (dots === 0) return null
  const rest = module.slice(dots).replaceAll(".", "/")
  return posix.normalize(posix.join(folder, "../".repeat(dots - 1), rest)).replace(/\/$/, "")
}

const INDEX = /\/(?:index|mod|__init__|lib|main)$/

function fitsPath(target: string, { path, bare, folder }: ModulePath): number {
  if (path === target || bare === target || folder === target) return 1
  if (bare === withoutExtension(target)) return 1
  // The index file of a folder may re-export another file of the folder.
  return target !== "." && path.startsWith(`${target}/`) ? 0.7 : 0
}

/**
 * How well an import fits a file, given the files that a manifest names for it. A named file may re-export what another
 * file of the package defines.
 */
function fitsTargets({ paths, within, isFolder }: Targets, place: ModulePath): number {
  if (isFolder) return paths.includes(posix.dirname(place.path)) ? 1 : 0
  let best = within !== null && place.path.startsWith(`${within}/`) ? 0.7 : 0
  for (const path of paths) best = Math.max(best, fitsPath(path, place))
  return best
}

function withoutExtension(path: string): string {
  return path.replace(/(?:\.d)?\.\w+$/, "")
}

const ROOTS: ReadonlySet<string> = new Set(["crate", "self", "super", "src", "@", "~", "std", "*"])

const WORDS = new LRUCache<string, readonly string[]>({ max: 4096 })

/** The words of an import; cached, because many files have the same imports. */
function moduleWords(module: string): readonly string[] {
  let words = WORDS.get(module)
  if (!words) {
    words = wordsIn(module)
    WORDS.set(module, words)
  }
  return words
}

function wordsIn(module: string): string[] {
  return module
    .replace(/\{[\s\S]*$/, "")
    .replace(/\.(?:h|hpp|hh|hxx|js|mjs|cjs|ts|tsx|py|rb|php)$/, "")
    .split(/[/\\.:]+|\s+/)
    .filter((word) => word !== "" && !ROOTS.has(word))
    .map((word) => word.toLowerCase())
}

/**
 * How well the first `length` words of an import fit a path, 0 to 1: best when the words are the end of the path or the
 * path is the end of the words, less when only their last parts agree. A module may be a file or a folder.
 */
function bestTail(words: readonly string[], length: number, stem: readonly string[]): number {
  if (length === 0) return 0
  const file = sharedTail(words, length, stem, stem.length)
  if (file === length || (file > 0 && file === stem.length)) return 1
  const folder = sharedTail(words, length, stem, stem.length - 1)
  if (folder > 0 && (folder === length || folder === stem.length - 1)) return 0.8
  if (file > 1 || folder > 1) return 0.6
  if (folder === 1 || file === 1) return 0.5
  // An import of one word also fits if any folder above the file has that name, because a package may re-export what its files define.
  return length === 1 && stem.includes(words[0]!) ? 0.5 : 0
}

function sharedTail(
  words: readonly string[],
  length: number,
  stem: readonly string[],
  parts: number,
): number {
  let shared = 0
  while (shared < length && shared < parts && words[length - 1 - shared] === stem[parts - 1 - shared])
    shared++
  return shared
}
