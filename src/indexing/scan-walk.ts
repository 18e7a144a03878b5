import { statSync } from "node:fs"
import { relative } from "node:path"
import { fileIdsIn } from "../base/file-identity.ts"
import { toPosix, userDataDir } from "../base/paths.ts"
import type { AttributeScope } from "../git/attributes.ts"
import { compileIgnoreRules, type IgnoreRules } from "../git/ignore-rules.ts"
import { addIgnoreText, type IgnoreScope } from "../git/ignore-scope.ts"
import { type IgnoreStart, startIgnoring } from "../git/start-ignoring.ts"
import { readTrackedFiles, type TrackedFiles } from "../git/tracked-files.ts"
import { findWorkTree, type WorkTree } from "../git/work-tree.ts"
import { optionsKey, type ScanOptions } from "./scan-options.ts"
import { ScanQueue } from "./scan-queue.ts"
import {
  addCounts,
  type Counts,
  type ScannedFile,
  type ScannedFolder,
  type ScanResult,
  type WatchedFile,
} from "./scan-result.ts"

/** One walk in progress: where it is and what it has found. */
export type Walk = {
  readonly root: string
  readonly options: ScanOptions
  /** The root is part of a repository, so a repository inside it belongs to somebody else. */
  readonly isInRepository: boolean
  /** From the top of that repository to the root, "/" at the end; "" where they are the same. */
  readonly way: string
  /** Null where everything counts that is not left out. */
  readonly include: IgnoreRules | null
  /** Absolute; the index, and what we keep of the user's: who indexes a home folder has both in it. */
  readonly ownFolders: ReadonlySet<string>
  readonly startedAtMs: number
  readonly queue: ScanQueue
  readonly files: ScannedFile[]
  readonly folders: ScannedFolder[]
  readonly tooLarge: ScannedFile[]
  readonly rules: WatchedFile[]
  /** What an earlier scan knows of a folder that has not changed since, so that it need not be read. */
  readonly unchanged?: ((path: string) => UnchangedFolder | undefined) | undefined
  indexFileIds: ReadonlySet<string> | null
}

export type UnchangedFolder = {
  readonly folder: ScannedFolder
  readonly files: readonly ScannedFile[]
  readonly tooLarge: readonly ScannedFile[]
  /** Names of the folders in it that were visited. */
  readonly folders: readonly string[]
}

/** The repository whose rules hold. */
export type Repository = {
  readonly ignoreCase: boolean
  /** What `info/attributes` says. */
  readonly attributes: AttributeScope | null
  /** Read when first asked for: most projects ignore nothing that they track, but only the index can say so. */
  readonly tracked: () => TrackedFiles | null
}

/** A folder on the way, with the rules that hold in it. */
export type Folder = {
  readonly name: string
  /** Relative to the root, "" for the root. */
  readonly path: string
  /** Relative to the top of the work tree; the same as `path` unless the root lies elsewhere. */
  readonly gitPath: string
  readonly repository: Repository
  readonly scope: IgnoreScope | null
  /** The rules of `.amanignore` files; their paths begin at the top of the root's own repository. */
  readonly own: IgnoreScope | null
  readonly attributes: AttributeScope | null
  /** Ignored itself, and visited only because git tracks something inside. */
  readonly onlyTracked: boolean
  /** Taken back by an `.amanignore`, whatever else speaks against it. */
  readonly isTakenBack: boolean
  /** Everything in it is what the options ask for. */
  readonly isIncluded: boolean
  /** The top of the work tree whose rules hold. */
  readonly isRepository: boolean
  /** What stands beside it; empty for the root. */
  readonly siblings: readonly string[]
}

const NO_REPOSITORY: Repository = { ignoreCase: false, attributes: null, tracked: () => null }

export function startWalk(
  root: string,
  options: ScanOptions,
  nowMs: number,
  unchanged?: Walk["unchanged"],
): { walk: Walk; top: Folder } {
  const workTree = findWorkTree(root)
  const start = startIgnoring(root, workTree)
  const repository = workTree && !start.isInIgnored ? openRepository(workTree, start) : NO_REPOSITORY
  const way = workTree && repository !== NO_REPOSITORY ? toPosix(relative(workTree.top, root)) : ""
  const include = compileIgnoreRules((options.include ?? []).join("\n"), start.ignoreCase)
  const walk: Walk = {
    root,
    options,
    isInRepository: repository !== NO_REPOSITORY,
    way: way === "" ? "" : `${way}/`,
    include,
    ownFolders: new Set([options.indexDir, userDataDir()]),
    startedAtMs: nowMs,
    queue: new ScanQueue(),
    files: [],
    folders: [],
    tooLarge: [],
    rules: start.sources.map(watch),
    unchanged,
    indexFileIds: null,
  }
  const top: Folder = {
    name: "",
    path: "",
    gitPath: way,
    repository,
    scope: start.scope,
    own: addIgnoreText(start.own, (options.exclude ?? []).join("\n"), way, start.ignoreCase),
    attributes: start.attributes,
    onlyTracked: false,
    isTakenBack: false,
    isIncluded: include === null,
    isRepository: workTree?.top === root,
    siblings: [],
  }
  return { walk, top }
}

export function openRepository(workTree: WorkTree, { ignoreCase, ownAttributes }: IgnoreStart): Repository {
  let tracked: TrackedFiles | null | undefined
  return {
    ignoreCase,
    attributes: ownAttributes,
    tracked() {
      if (tracked === undefined) tracked = readTrackedFiles(workTree)
      return tracked
    },
  }
}

export function finishWalk(walk: Walk): ScanResult {
  const skipped: Counts = {}
  for (const folder of walk.folders) addCounts(skipped, folder.skipped)
  const { files, folders, tooLarge, rules, startedAtMs } = walk
  for (const list of [files, folders, tooLarge]) list.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { files, folders, skipped, tooLarge, rules, options: optionsKey(walk.options), startedAtMs }
}

/** What to compare later of a file that decides about others. */
export function watch(path: string): WatchedFile {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found) return { path, size: found.size, mtimeMs: found.mtimeMs }
  } catch {
    // Unreadable is as good as absent: git would not read it either.
  }
  return { path, size: -1, mtimeMs: 0 }
}

/**
 * Whether a file with several names is one of the index's own. Closing such a file, opened by another name,
 * would drop the locks that this process holds on it (POSIX).
 */
export function isIndexFile(walk: Walk, dev: number, ino: number): boolean {
  walk.indexFileIds ??= fileIdsIn(walk.options.indexDir)
  return walk.indexFileIds.has(`${dev}:${ino}`)
}
