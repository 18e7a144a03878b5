import { statSync } from "node:fs"
import { relative } from "node:path"
import { compareTexts } from "../../base/compare-texts.ts"
import { NOT_MAIN_FLAGS } from "../../base/files/file-flag.ts"
import { fileIdsIn } from "../../base/files/files.ts"
import { toPosix, userDataDir } from "../../base/paths.ts"
import { pathFlags } from "../../code/languages/file-flags.ts"
import {
  type AttributeScope,
  addIgnoreText,
  compileIgnoreRules,
  type IgnoreRules,
  type IgnoreScope,
  type IgnoreStart,
  startIgnoring,
} from "../../git/ignore/ignore-scope.ts"
import { readTrackedFiles, type TrackedFiles } from "../../git/tracked-files.ts"
import { findWorkTree, type WorkTree } from "../../git/work-tree.ts"
import {
  addCounts,
  optionsKey,
  type ScannedFile,
  type ScannedFolder,
  type ScanOptions,
  type ScanResult,
  type SkipReason,
  type SkipTally,
  type WatchedFile,
} from "./scan-result.ts"

/** The state of one walk through the project: its options, its queue and its results. */
export type ScanWalk = {
  readonly root: string
  readonly options: ScanOptions
  /** True when the root is inside a repository. A repository below the root then belongs to another project. */
  readonly isInRepository: boolean
  /**
   * Path from the top of the repository that contains the root to the root, ending with "/"; "" if the root is the top.
   */
  readonly rootInRepository: string
  /** Rules of the `include` option; null without it. */
  readonly include: IgnoreRules | null
  /**
   * Absolute paths of the index folder and of aman's user data folder. A project that is the home folder contains both.
   */
  readonly ownFolders: ReadonlySet<string>
  readonly startedAtMs: number
  readonly queue: ScanQueue
  readonly files: ScannedFile[]
  readonly folders: ScannedFolder[]
  readonly tooLarge: ScannedFile[]
  readonly rules: WatchedFile[]
  /**
   * Returns what an earlier scan recorded about a folder that has not changed since, so that the folder need not be
   * read.
   */
  readonly unchanged?: ((path: string) => UnchangedFolder | undefined) | undefined
  /** Called for every entry that is skipped; absent if the caller does not need the entries. */
  onSkip?: ((path: string, reason: SkipReason) => void) | undefined
  indexFileIds: ReadonlySet<string> | null
}

export type UnchangedFolder = {
  readonly folder: ScannedFolder
  readonly files: readonly ScannedFile[]
  readonly tooLarge: readonly ScannedFile[]
  /** Names of the subfolders that were visited. */
  readonly folders: readonly string[]
}

/** The repository whose rules apply. */
export type Repository = {
  readonly ignoreCase: boolean
  /** Rules from the file `info/attributes` of the repository. */
  readonly attributes: AttributeScope | null
  /**
   * Reads the list of tracked files at the first call. It is needed only if an ignore rule matches a path that git may
   * track.
   */
  readonly tracked: () => TrackedFiles | null
  /** True if git wrote the path, which it tracks as a symbolic link, as a text file with the link's target. */
  readonly isLinkAsText: (gitPath: string) => boolean
}

/** A folder to visit, with the rules that apply in it. */
export type WalkFolder = {
  readonly name: string
  /** Relative to the root, "" for the root. */
  readonly path: string
  /** Relative to the top of the work tree; differs from `path` only if the root is not the top. */
  readonly gitPath: string
  readonly repository: Repository
  readonly scope: IgnoreScope | null
  /** Rules of the `.amanignore` files. Their paths start at the top of the repository that contains the root. */
  readonly amanScope: IgnoreScope | null
  readonly attributes: AttributeScope | null
  /** True if the folder is ignored and visited only because git tracks something in it. */
  readonly onlyTracked: boolean
  /** True if an `.amanignore` includes the folder again, which overrides every other rule. */
  readonly isReincluded: boolean
  /** True if the `include` option includes everything in the folder. */
  readonly isIncluded: boolean
  /** True for the top of a work tree, whose rules apply from here on. */
  readonly isRepository: boolean
  /** Names of all entries in its parent folder; empty for the root. */
  readonly siblings: readonly string[]
}

const NO_REPOSITORY: Repository = {
  ignoreCase: false,
  attributes: null,
  tracked: () => null,
  isLinkAsText: () => false,
}

export function startWalk(
  root: string,
  options: ScanOptions,
  nowMs: number,
  unchanged?: ScanWalk["unchanged"],
): { walk: ScanWalk; top: WalkFolder } {
  const workTree = findWorkTree(root)
  const start = startIgnoring(root, workTree)
  const repository = workTree && !start.isInIgnored ? openRepository(workTree, start) : NO_REPOSITORY
  const rootPath = workTree && repository !== NO_REPOSITORY ? toPosix(relative(workTree.top, root)) : ""
  const include = compileIgnoreRules((options.include ?? []).join("\n"), start.ignoreCase)
  const walk: ScanWalk = {
    root,
    options,
    isInRepository: repository !== NO_REPOSITORY,
    rootInRepository: rootPath === "" ? "" : `${rootPath}/`,
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
  const top: WalkFolder = {
    name: "",
    path: "",
    gitPath: rootPath,
    repository,
    scope: start.scope,
    amanScope: addIgnoreText(start.amanScope, (options.exclude ?? []).join("\n"), rootPath, start.ignoreCase),
    attributes: start.attributes,
    onlyTracked: false,
    isReincluded: false,
    isIncluded: include === null,
    isRepository: workTree?.top === root,
    siblings: [],
  }
  return { walk, top }
}

export function openRepository(
  workTree: WorkTree,
  { ignoreCase, hasLinksAsText, repositoryAttributes }: IgnoreStart,
): Repository {
  let files: TrackedFiles | null | undefined
  const tracked = () => {
    if (files === undefined) files = readTrackedFiles(workTree)
    return files
  }
  return {
    ignoreCase,
    attributes: repositoryAttributes,
    tracked,
    isLinkAsText: (gitPath) => hasLinksAsText && (tracked()?.isLink(gitPath) ?? false),
  }
}

export function finishWalk(walk: ScanWalk): ScanResult {
  const skipped: SkipTally = {}
  for (const folder of walk.folders) addCounts(skipped, folder.skipped)
  const { files, folders, tooLarge, rules, startedAtMs } = walk
  for (const list of [files, folders, tooLarge]) list.sort((a, b) => compareTexts(a.path, b.path))
  return { files, folders, skipped, tooLarge, rules, options: optionsKey(walk.options), startedAtMs }
}

/** Records the size and time of a rule file, for later comparison. */
export function watch(path: string): WatchedFile {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found) return { path, size: found.size, mtimeMs: found.mtimeMs }
  } catch {
    // An unreadable file counts as absent: git would not read it either.
  }
  return { path, size: -1, mtimeMs: 0 }
}

/**
 * True when a file with several hard links is one of the files of the index. This process must not open it by another
 * name, because closing it would drop the locks that the process holds on it (POSIX).
 */
export function isIndexFile(walk: ScanWalk, dev: number, ino: number): boolean {
  walk.indexFileIds ??= fileIdsIn(walk.options.indexDir)
  return walk.indexFileIds.has(`${dev}:${ino}`)
}

type QueuedFolder = {
  readonly folder: WalkFolder
  /** Skip counts of the parent folder, to which this folder is added if it turns out to be skipped. */
  readonly counts: SkipTally
}

// Folders of tests, examples, documents and vendored code are visited as if they were this many levels deeper.
const ASIDE_LEVELS = 4

/**
 * The folders that have not been visited yet. Shallow folders come first, and source folders before tests and
 * documents, so that a walk that ends early has found the most important files. It is a list, not recursion, so that a
 * deep tree cannot overflow the stack.
 */
class ScanQueue {
  readonly #levels: QueuedFolder[][] = []
  #level = 0
  #next = 0

  add(waiting: QueuedFolder): void {
    const level = Math.max(this.#level, priorityLevel(waiting.folder.path))
    while (this.#levels.length <= level) this.#levels.push([])
    this.#levels[level]!.push(waiting)
  }

  take(): QueuedFolder | undefined {
    for (; this.#level < this.#levels.length; this.#level++, this.#next = 0) {
      const waiting = this.#levels[this.#level]![this.#next++]
      if (waiting) return waiting
      // Visited folders are dropped, because they would keep their rules and siblings in memory.
      this.#levels[this.#level] = []
    }
    return undefined
  }
}

function priorityLevel(path: string): number {
  if (path === "") return 0
  let depth = 1
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) depth++
  const isAside = (pathFlags(`${path}/`) & NOT_MAIN_FLAGS) !== 0
  return isAside ? depth + ASIDE_LEVELS : depth
}
