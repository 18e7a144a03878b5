/*
 * The map of a project: description, languages, folders, entry points and central symbols. Small folders are merged
 * into their parents, and folders of tests or examples count as one. `mapText` (map-text.ts) renders the map within a
 * token budget.
 */

import { basename, posix } from "node:path"
import { compareTexts, elapsedMs, NOT_MAIN_FLAGS, type SearchAnswer } from "../../base/index.ts"
import {
  type AnswerOptions,
  type Project,
  partialIndex,
  snapshotFor,
  whyEmpty,
  withIndexRepair,
} from "../../index/index.ts"
import { pathFlags } from "../../parse/index.ts"
import type { FileAmount, Store, SymbolRow } from "../../store/index.ts"
import { centralIn, isCallable, isType } from "../../symbols/index.ts"
import { type EntryPoint, entryPoints } from "./entry-points.ts"
import { Manifests } from "./manifests.ts"
import { describeProject } from "./status-project.ts"

export type MapAnswer = {
  readonly root: string
  readonly name: string
  /** The project's description in a manifest or its README, a sentence or two; null if there is none. */
  readonly about: string | null
  readonly project: { readonly type: string; readonly source_folders: readonly string[] }
  readonly files: number
  /** Number of files by language, largest first. */
  readonly languages: Readonly<Record<string, number>>
  /** Folders in path order; small ones are merged into their parents. */
  readonly folders: readonly MapFolder[]
  readonly entry_points: readonly EntryPoint[]
  /** Functions and types that most of the project depends on, most central first. */
  readonly symbols: readonly CentralSymbol[]
  readonly partial: SearchAnswer["partial"]
  readonly took_ms: number
  readonly notices: readonly string[]
}

export type MapOptions = Pick<AnswerOptions, "refresh" | "signal" | "reindex">

/** Folders, entry points and central symbols of a project. `mapText` renders them within a token budget. */
export function mapProject(project: Project, options: MapOptions): Promise<MapAnswer> {
  return withIndexRepair(project, options, () => mapFreshIndex(project, options))
}

async function mapFreshIndex(project: Project, options: MapOptions): Promise<MapAnswer> {
  const started = performance.now()
  const { reader, failure } = await snapshotFor(project, options)
  const { root } = project
  const store = reader?.store
  const name = basename(root)
  if (!store) return { ...NOTHING, root, name, took_ms: elapsedMs(started) }
  const files = store.files.amounts()
  const manifests = new Manifests(project, files)
  const symbols = centralSymbols(store)
  const home = folderOfFile(files)
  const { projectTypes, sourceFolders } = describeProject(files)
  const languages = store.files.languages()
  return {
    root,
    name: manifests.name ?? name,
    about: manifests.about,
    project: { type: projectTypes.join(", ") || "unknown", source_folders: sourceFolders },
    files: files.length,
    languages: Object.fromEntries(languages.map((each) => [each.language, each.files])),
    folders: mapFolders(files, home, symbols),
    entry_points: entryPoints(store, files, manifests),
    symbols: symbols.slice(0, 100),
    partial: partialIndex(store),
    took_ms: elapsedMs(started),
    notices: [...(failure === null ? [] : [failure]), ...whyEmpty(root, store)],
  }
}

const NOTHING = {
  about: null,
  project: { type: "unknown", source_folders: [] },
  files: 0,
  languages: {},
  folders: [],
  entry_points: [],
  symbols: [],
  partial: { done: 0, total: 0, share: 0 },
  notices: ["there is no index yet"],
} as const

type MapFolder = {
  /** Path of the folder; "." for the root. */
  readonly path: string
  /** Number of files in the folder and its subfolders, without those of subfolders that are on the map themselves. */
  readonly files: number
  /** Languages with the most files, at most two. */
  readonly languages: readonly string[]
  /** Names of the most central symbols defined in it, at most three. */
  readonly symbols: readonly string[]
}

const MAX_FOLDERS = 60

/**
 * Returns the map's folder for each file: its own folder, or a parent if that folder is too small to be listed. Tests,
 * examples and the like count with the outermost folder that is of that kind. Too small: less than one of `parts`.
 */
export function folderOfFile(
  files: readonly FileAmount[],
  parts = 2 * MAX_FOLDERS,
): (path: string) => string {
  const sideFolderOf = outermostSideFolder()
  const homes = new Map<string, string>()
  const weights = new Map<string, number>()
  let total = 0
  for (const { path, size, content, flags } of files) {
    const folder = posix.dirname(path)
    // The kind of a folder applies to all files in it, so its files count with the folder.
    const home = homes.get(folder) ?? ((flags & NOT_MAIN_FLAGS) === 0 ? null : sideFolderOf(folder)) ?? folder
    homes.set(folder, home)
    const weight = content === "code" ? size : size / 8
    weights.set(home, (weights.get(home) ?? 0) + weight)
    total += weight
  }
  const merged = mergeSmall(weights, total / parts)
  return (path) => {
    const home = homes.get(posix.dirname(path)) ?? posix.dirname(path)
    return merged.get(home) ?? home
  }
}

function mapFolders(
  files: readonly FileAmount[],
  folderOf: (path: string) => string,
  symbols: readonly CentralSymbol[],
): MapFolder[] {
  const byFolder = Map.groupBy(files, ({ path }) => folderOf(path))
  const names = Map.groupBy(symbols, ({ path }) => folderOf(path))
  return [...byFolder]
    .sort(([, one], [, other]) => totalSize(other) - totalSize(one))
    .slice(0, MAX_FOLDERS)
    .map(([path, inside]) => ({
      path,
      files: inside.length,
      languages: languagesOf(inside),
      symbols: [...new Set(names.get(path)?.map(({ name }) => name))].slice(0, 3),
    }))
    .sort((one, other) => compareTexts(one.path, other.path))
}

/**
 * Returns a function that finds, for a folder, the outermost folder on its path whose name stands for tests, examples or
 * the like; null if there is none.
 */
function outermostSideFolder(): (folder: string) => string | null {
  const cache = new Map<string, string | null>()
  const find = (folder: string): string | null => {
    if (folder === ".") return null
    let outermost = cache.get(folder)
    if (outermost === undefined) {
      outermost =
        find(posix.dirname(folder)) ?? ((pathFlags(`${folder}/`) & NOT_MAIN_FLAGS) === 0 ? null : folder)
      cache.set(folder, outermost)
    }
    return outermost
  }
  return find
}

/**
 * Merges folders that weigh less than `minWeight` into their parents, deepest first, and updates `weights`. Returns the
 * final folder of each merged one.
 */
function mergeSmall(weights: Map<string, number>, minWeight: number): Map<string, string> {
  const deepest = Math.max(0, ...[...weights.keys()].map(depthOf))
  const into = new Map<string, string>()
  for (let depth = deepest; depth > 0; depth--) {
    for (const [folder, weight] of [...weights]) {
      if (depthOf(folder) !== depth || weight >= minWeight) continue
      const parent = posix.dirname(folder)
      weights.set(parent, (weights.get(parent) ?? 0) + weight)
      weights.delete(folder)
      into.set(folder, parent)
    }
  }
  return new Map([...into.keys()].map((folder) => [folder, mergedInto(folder, into)]))
}

/** The folder into which a merged folder finally goes, after all merges of its parents. */
function mergedInto(folder: string, into: ReadonlyMap<string, string>): string {
  let at = folder
  for (let next = into.get(at); next !== undefined; next = into.get(at)) at = next
  return at
}

function depthOf(folder: string): number {
  return folder === "." ? 0 : folder.split("/").length
}

function totalSize(files: readonly FileAmount[]): number {
  return files.reduce(
    (sum, { size, flags, content }) =>
      sum + ((flags & NOT_MAIN_FLAGS) === 0 && content === "code" ? size : size / 8),
    0,
  )
}

function languagesOf(files: readonly FileAmount[]): string[] {
  const counts = new Map<string, number>()
  for (const { language } of files) counts.set(language, (counts.get(language) ?? 0) + 1)
  return [...counts]
    .sort(([one, a], [other, b]) => b - a || compareTexts(one, other))
    .slice(0, 2)
    .map(([language]) => language)
}

type CentralSymbol = {
  readonly name: string
  readonly kind: string
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly signature: string
  /** Part of the file's PageRank that uses of this name contribute, in multiples of an average file's PageRank. */
  readonly centrality: number
}

/** Functions and types that most of a project depends on, most central first. */
function centralSymbols(store: Store): CentralSymbol[] {
  const listed = centralIn(store, 300).flatMap(({ symbol, path, centrality }) => {
    const { name, kind, signature, startLine: start_line, endLine: end_line } = symbol
    const isListed = (isCallable(symbol) || isType(symbol)) && !isTrivial(symbol)
    return isListed ? [{ name, kind, path, start_line, end_line, signature, centrality }] : []
  })
  const defined = new Set(listed.filter((each) => !isPrototype(each)).map(({ name }) => name))
  return listed.filter((each) => !isPrototype(each) || !defined.has(each.name))
}

/** True for a function prototype of C: a declaration without a body. */
function isPrototype({ kind, signature }: CentralSymbol): boolean {
  return kind === "function" && /\)[^()]*;$|\)\);$/.test(signature)
}

/** Names that say nothing about a project, however often they are used: memory, checks, logs and tests. */
const SAYS_NOTHING =
  /^(?:main|assert\w*|ASSERT\w*|x?(?:m|c|re)alloc\w*|x?free|str[ln]?c(?:py|at|mp)|strl(?:cpy|cat)|x?asprintf|x?strn?dup|die|fatalx?|fatal_error|panic|log(?:_(?:debug|info|warn|error|trace))?|debug|printf?|min|max|noop|describe|it|test|expect|beforeEach|afterEach|set_?up|tear_?down|(?:setUp|tearDown)\w*|run_?tests?)$/i

/**
 * True for symbols that say nothing about a project: names that are common everywhere, declarations of modules in other
 * files, and constants and switches of the preprocessor.
 */
function isTrivial({ name, signature }: Pick<SymbolRow, "name" | "signature">): boolean {
  return (
    SAYS_NOTHING.test(name) || /^(?:pub(?:\([^)]*\))? )?mod \w+;$|^#\s*define \w+(?!\w|\()/.test(signature)
  )
}
