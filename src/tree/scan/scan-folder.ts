/**
 * Walks through the folders of a project. For each folder in the queue: read its entries (or take them from an earlier
 * scan if the folder has not changed); decide by its entries whether it is skipped; add the rules of its ignore and
 * attribute files; add its files to the result; add its subfolders to the queue. `scanProject` is the entry point.
 */

import { type Dirent, lstatSync, readdirSync, statSync } from "node:fs"
import { relative } from "node:path"
import {
  AmanError,
  compareTexts,
  declaredFlags,
  FILE_FLAG,
  fileIdsIn,
  NOT_MAIN_FLAGS,
  toPosix,
  userDataDir,
} from "../../base/index.ts"
import { pathFlags } from "../../parse/index.ts"
import { encodingNamed, isSecretFile, isSecretFolder } from "../../text/index.ts"
import {
  ATTRIBUTE_FILES,
  type Attribute,
  type AttributeScope,
  addAttributeFile,
  addIgnoreFile,
  addIgnoreText,
  attributeOf,
  compileIgnoreRules,
  type IgnoreRules,
  type IgnoreScope,
  type IgnoreStart,
  ignoreVerdict,
  isSpent,
  OWN_IGNORE_FILE,
  startIgnoring,
} from "../git/ignore/ignore-scope.ts"
import { readTrackedFiles, type TrackedFiles } from "../git/tracked-files.ts"
import { findWorkTree, throwIfExhausted, type WorkTree, workTreeAt } from "../git/work-tree.ts"
import {
  isInvalidName,
  isMetadataFolder,
  isTooLarge,
  mayBeOutput,
  outputReason,
  skipFileName,
  skipFolderName,
} from "./scan-names.ts"
import {
  addCounts,
  count,
  optionsKey,
  type ScannedFile,
  type ScannedFolder,
  type ScanOptions,
  type ScanResult,
  type SkipReason,
  type SkipTally,
  type WatchedFile,
} from "./scan-snapshot.ts"

type Listing = {
  /**
   * Modification time of the folder, taken before its entries are read. An entry that is added while reading then shows
   * as a change in the next scan.
   */
  readonly mtimeMs: number
  readonly entries: readonly Dirent[]
}

/**
 * Visits everything below the folder `top`, whose listing is given. Folders that an earlier scan knows and that have
 * not changed are not read again.
 */
export function walkFrom(walk: ScanWalk, top: WalkFolder, listing: Listing | UnchangedFolder): void {
  if ("entries" in listing) visitFolder(walk, top, listing)
  else revisitFolder(walk, top, listing)
  for (let next = walk.queue.take(); next; next = walk.queue.take()) {
    const reason = isFull(walk) ? "over the limit" : enter(walk, next.folder)
    if (reason) {
      count(next.counts, reason)
      walk.onSkip?.(next.folder.path, reason)
    }
  }
}

/** The folder's entries, or the reason why it cannot be read. */
export function readFolder(walk: ScanWalk, folder: WalkFolder): Listing | SkipReason {
  const path = absolute(walk, folder.path)
  try {
    const found = lstatSync(path)
    if (!found.isDirectory() && folder.path !== "") return "gone"
    const entries = readdirSync(path, { withFileTypes: true })
    // Sorted, so that a walk that ends at a limit has the same files on each file system.
    entries.sort((a, b) => compareTexts(a.name, b.name))
    return { mtimeMs: found.mtimeMs, entries }
  } catch (error) {
    return errorReason(error)
  }
}

function enter(walk: ScanWalk, folder: WalkFolder): SkipReason | null {
  const known = mayBeOutput(folder.name) ? undefined : walk.unchanged?.(folder.path)
  if (known) return revisitFolder(walk, folder, known)
  const listing = readFolder(walk, folder)
  return typeof listing === "string" ? listing : visitFolder(walk, folder, listing)
}

/**
 * Adds a folder and its files to the walk, and its subfolders to the queue. If the folder is skipped, returns the
 * reason.
 */
function visitFolder(walk: ScanWalk, folder: WalkFolder, listing: Listing): SkipReason | null {
  const names = listing.entries.map((entry) => entry.name)
  const reason = skipReasonOf(folder, names)
  if (reason) return reason
  const inner = enterRepository(walk, folder, names)
  if (typeof inner === "string") return inner

  const hasRules = listing.entries.some((entry) => RULE_FILES.includes(entry.name) && entry.isFile())
  const here = hasRules ? withRules(walk, inner) : inner
  const skipped: SkipTally = {}
  const unused = unusedAttributeFiles(folder, here)
  if (unused > 0) count(skipped, "attribute file", unused)
  const { path } = folder
  const { isRepository } = inner
  walk.folders.push({ path, mtimeMs: listing.mtimeMs, isRepository, hasRules, skipped })
  // Git tracks the path of a folder only if it is that of a submodule.
  if (names.length === 0 && path !== "" && folder.repository.tracked()?.has(folder.gitPath)) {
    count(skipped, "submodule not checked out")
    walk.onSkip?.(path, "submodule not checked out")
  }
  const { target } = walk.options
  for (const entry of listing.entries) {
    if (target !== undefined && !`${target}/`.startsWith(`${below(path, entry.name)}/`)) continue
    const why = visitEntry(walk, here, entry, names, skipped)
    if (why) {
      count(skipped, why)
      walk.onSkip?.(path === "" ? entry.name : `${path}/${entry.name}`, why)
    }
  }
  return null
}

function visitEntry(
  walk: ScanWalk,
  folder: WalkFolder,
  entry: Dirent,
  names: readonly string[],
  skipped: SkipTally,
): SkipReason | null {
  const { name } = entry
  if (isInvalidName(name)) return "invalid name"
  if (entry.isDirectory()) return addSubfolder(walk, folder, name, names, skipped)
  if (name === ".git") return null
  if (!entry.isFile()) return entry.isSymbolicLink() ? "link" : "not a file"
  const { attributes, repository } = folder
  const gitPath = below(folder.gitPath, name)
  if (repository.isLinkAsText(gitPath)) return "link"
  const attributeFlags = attributeFlagsOf(attributes, repository.attributes, gitPath, name)
  return (
    skipFile(walk, folder, name, attributeFlags) ?? addFile(walk, below(folder.path, name), attributeFlags)
  )
}

function skipFile(
  walk: ScanWalk,
  folder: WalkFolder,
  name: string,
  attributeFlags: number,
): SkipReason | null {
  if (isSecretFile(name, folder.name)) return "secret"
  if (hasSpentRules(walk, folder)) return "too many patterns"
  const path = below(folder.path, name)
  const isOut = ignoreVerdict(folder.amanScope, walk.rootInRepository + path, name, false)
  if (isOut || !(folder.isIncluded || walk.include?.verdict(path, name, false))) return "excluded"
  if (isOut === false) return null
  const reason = walk.options.everyName ? null : skipFileName(name)
  const isDenied = reason === "minified" && (attributeFlags & FILE_FLAG.deniedGenerated) !== 0
  if (reason && !isDenied) return reason
  const gitPath = below(folder.gitPath, name)
  const isLeftToGit = folder.onlyTracked || ignoreVerdict(folder.scope, gitPath, name, false)
  return isLeftToGit && !folder.repository.tracked()?.has(gitPath) ? "ignored" : null
}

/** Adds a subfolder to the queue; if its name or a rule excludes it, returns the reason. */
function addSubfolder(
  walk: ScanWalk,
  parent: WalkFolder,
  name: string,
  siblings: readonly string[],
  counts: SkipTally,
): SkipReason | null {
  const path = below(parent.path, name)
  if (isMetadataFolder(name) || walk.ownFolders.has(absolute(walk, path))) return null
  if (isSecretFolder(name)) return "secret"
  if (hasSpentRules(walk, parent)) return "too many patterns"
  const verdict = ignoreVerdict(parent.amanScope, walk.rootInRepository + path, name, true)
  if (verdict) return "excluded"
  const isReincluded = verdict === false
  const reason = isReincluded ? null : skipFolderName(name)
  if (reason) return reason
  const gitPath = below(parent.gitPath, name)
  const onlyTracked =
    !isReincluded && (parent.onlyTracked || (ignoreVerdict(parent.scope, gitPath, name, true) ?? false))
  if (onlyTracked && !isTracked(parent, gitPath)) return "ignored"
  const isIncluded = parent.isIncluded || (walk.include?.verdict(path, name, true) ?? false)
  const place = { name, path, gitPath, siblings, isRepository: false }
  walk.queue.add({ folder: { ...parent, ...place, onlyTracked, isReincluded, isIncluded }, counts })
  return null
}

/**
 * Number of attribute files in this folder that are too large to be used. At the top of the project or of a repository,
 * this includes those that apply from outside: `info/attributes` and the attribute files of parent folders.
 */
function unusedAttributeFiles(outer: WalkFolder, here: WalkFolder): number {
  const isTop = outer.path === "" || here.isRepository
  let unused = isTop && here.repository.attributes?.isUnused ? 1 : 0
  for (let at = here.attributes; at && (isTop || at !== outer.attributes); at = at.outer) {
    if (at.isUnused) unused++
  }
  return unused
}

/**
 * True when comparing ignore patterns took so long that it was given up. The file or folder is then skipped, because it
 * may be ignored and private.
 */
function hasSpentRules(walk: ScanWalk, { scope, amanScope }: WalkFolder): boolean {
  return isSpent(scope) || isSpent(amanScope) || (walk.include?.isSpent ?? false)
}

/**
 * True when git tracks the path, or something below it. For a submodule, git tracks only the path of the submodule
 * itself.
 */
function isTracked({ repository }: WalkFolder, gitPath: string): boolean {
  const tracked = repository.tracked()
  return tracked !== null && (tracked.hasInside(gitPath) || tracked.has(gitPath))
}

/** Continues with the subfolders of a folder whose entries are known from an earlier scan. */
function revisitFolder(walk: ScanWalk, folder: WalkFolder, known: UnchangedFolder): SkipReason | null {
  const inner = known.folder.isRepository ? enterRepository(walk, folder, [".git"]) : folder
  if (typeof inner === "string") return inner
  const here = known.folder.hasRules ? withRules(walk, inner) : inner
  const skipped: SkipTally = { ...known.folder.skipped }
  walk.folders.push({ ...known.folder, skipped })
  for (const file of known.files) addKnownFile(walk, file, skipped)
  for (const file of known.tooLarge) walk.tooLarge.push(file)
  // A sibling file that identifies a folder as output is never skipped, so it is in the list of known files.
  const names = known.folders.some(mayBeOutput) ? known.files.map((file) => lastPart(file.path)) : []
  for (const name of known.folders) {
    const reason = addSubfolder(walk, here, name, names, skipped)
    if (reason) count(skipped, reason)
  }
  return null
}

/** Why a folder is skipped because of its entries; null if it is not skipped. */
function skipReasonOf(folder: WalkFolder, names: readonly string[]): SkipReason | null {
  if (folder.path === "" || folder.isReincluded) return null
  const found = outputReason(folder.name, folder.siblings, names)
  if (!found) return null
  const isKept = !found.evenTracked && (folder.repository.tracked()?.hasInside(folder.gitPath) ?? false)
  return isKept ? null : found.reason
}

/**
 * The folder, with the rules that apply in it; or the reason why it is skipped. At the top of another repository, the
 * rules of that repository replace all others. Submodules belong to the project, and so do repositories below a root
 * that is not in a repository. Linked work trees do not, because they are copies.
 */
function enterRepository(
  walk: ScanWalk,
  folder: WalkFolder,
  names: readonly string[],
): WalkFolder | "nested repository" {
  if (folder.path === "" || !names.includes(".git")) return folder
  const top = absolute(walk, folder.path)
  const workTree = workTreeAt(top)
  if (!workTree) return folder
  const isForeign = workTree.kind === "linked" || (workTree.kind === "main" && walk.isInRepository)
  if (isForeign && !folder.isReincluded) return "nested repository"
  const start = startIgnoring(top, workTree)
  const repository = openRepository(workTree, start)
  walk.rules.push(...start.sources.map(watch))
  const { scope, attributes } = start
  return { ...folder, gitPath: "", repository, scope, attributes, onlyTracked: false, isRepository: true }
}

/** Names of the files whose content decides about other files. */
export const RULE_FILES: readonly string[] = [".gitignore", OWN_IGNORE_FILE, ...ATTRIBUTE_FILES]

function withRules(walk: ScanWalk, folder: WalkFolder): WalkFolder {
  const { ignoreCase } = folder.repository
  // Rule files that do not exist are watched, too: when one appears, everything must be scanned again.
  const [git, aman, ...attributes] = RULE_FILES.map((name) => {
    const file = absolute(walk, below(folder.path, name))
    walk.rules.push(watch(file))
    return isLink(file) || folder.repository.isLinkAsText(below(folder.gitPath, name)) ? null : file
  })
  const addRules = (outer: IgnoreScope | null, file: string | null | undefined, holdsIn: string) =>
    file == null ? outer : addIgnoreFile(outer, file, holdsIn, { ignoreCase })
  return {
    ...folder,
    scope: addRules(folder.scope, git, folder.gitPath),
    amanScope: addRules(folder.amanScope, aman, (walk.rootInRepository + folder.path).replace(/\/$/, "")),
    attributes: attributes.reduce(
      (outer, at) => (at === null ? outer : addAttributeFile(outer, at, folder.gitPath, { ignoreCase })),
      folder.attributes,
    ),
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

function below(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

function absolute(walk: ScanWalk, path: string): string {
  return path === "" ? walk.root : `${walk.root}/${path}`
}

const FLAGS: readonly (readonly [attribute: Attribute, affirmed: number, denied: number])[] = [
  ["linguist-generated", FILE_FLAG.markedGenerated, FILE_FLAG.deniedGenerated],
  ["linguist-vendored", FILE_FLAG.markedVendored, FILE_FLAG.deniedVendored],
  ["linguist-documentation", FILE_FLAG.markedDocs, FILE_FLAG.deniedDocs],
]

/**
 * FILE_FLAG bits that `.gitattributes` sets for a file. As in Linguist, any value but "false" sets the flag.
 * `repositoryAttributes` are the rules of the repository's `info/attributes`, which have precedence.
 */
function attributeFlagsOf(
  scope: AttributeScope | null,
  repositoryAttributes: AttributeScope | null,
  path: string,
  name: string,
): number {
  if (scope === null && repositoryAttributes === null) return 0
  let attributeFlags = 0
  const attributeValue = (attribute: Attribute) => {
    const value = attributeOf(repositoryAttributes, attribute, path, name)
    return value === undefined ? attributeOf(scope, attribute, path, name) : value
  }
  for (const [attribute, affirmed, denied] of FLAGS) {
    const value = attributeValue(attribute)
    if (value === undefined || value === null) continue
    attributeFlags |= value === false || value === "false" ? denied : affirmed
  }
  const written = attributeValue("working-tree-encoding")
  const encoding = typeof written === "string" ? encodingNamed(written) : null
  return encoding === null ? attributeFlags : attributeFlags | declaredFlags(encoding)
}

/** Adds a file to the walk; if it is skipped, returns the reason. Does not open the file. */
function addFile(walk: ScanWalk, path: string, attributeFlags: number): SkipReason | null {
  if (isFull(walk)) return "over the limit"
  try {
    const found = lstatSync(`${walk.root}/${path}`)
    if (!found.isFile()) return found.isSymbolicLink() ? "link" : "not a file"
    if (found.nlink > 1 && isIndexFile(walk, found.dev, found.ino)) return "index"
    const seen = { path, size: found.size, mtimeMs: found.mtimeMs }
    const file = attributeFlags === 0 ? seen : { ...seen, attributeFlags }
    const isLarge = isTooLarge(file, walk.options)
    ;(isLarge ? walk.tooLarge : walk.files).push(file)
    return isLarge ? "too large" : null
  } catch (error) {
    return errorReason(error)
  }
}

function addKnownFile(walk: ScanWalk, file: ScannedFile, skipped: SkipTally): void {
  if (isFull(walk)) count(skipped, "over the limit")
  else walk.files.push(file)
}

// Maximum number of folders per file of the limit `maxFiles`. Real projects have fewer; a tree of empty folders may
// have more.
const MAX_FOLDERS_PER_FILE = 4

/** True when the limit of files or folders is reached, so that the walk of an endless tree ends. */
function isFull({ options, files, folders }: ScanWalk): boolean {
  const maxFiles = options.maxFiles ?? Number.POSITIVE_INFINITY
  return files.length >= maxFiles || folders.length >= maxFiles * MAX_FOLDERS_PER_FILE
}

/** The skip reason for an error of a system call on an entry that was just listed. */
function errorReason(error: unknown): SkipReason {
  throwIfExhausted(error)
  const code = error instanceof Error && "code" in error ? error.code : null
  if (code === "ENOENT" || code === "ENOTDIR") return "gone"
  return code === "ENAMETOOLONG" ? "path too long" : "unreadable"
}

/** Every file and folder that a scan skips, with the reason. Entries below a skipped folder are not listed. */
export function skippedEntries(root: string, options: ScanOptions): SkippedEntry[] {
  const { walk, top } = startWalk(root, options, Date.now())
  const skipped: SkippedEntry[] = []
  walk.onSkip = (path, reason) => void skipped.push({ path, reason })
  const listing = readFolder(walk, top)
  if (typeof listing !== "string") walkFrom(walk, top, listing)
  return skipped
}

type SkippedEntry = { readonly path: string; readonly reason: SkipReason }

/**
 * Scans a project: finds every file that may be indexed, according to git's ignore rules and aman's own list of files
 * that are no source. Follows no links. `nowMs` is the time at the start.
 */
export function scanProject(root: string, options: ScanOptions, nowMs: number = Date.now()): ScanResult {
  const { walk, top } = startWalk(root, options, nowMs)
  const listing = readFolder(walk, top)
  if (typeof listing === "string") {
    throw new AmanError("IO", `cannot read the project root ${root}`, {
      hint: "check that it exists and is readable",
    })
  }
  walkFrom(walk, top, listing)
  return finishWalk(walk)
}

/** The state of one walk through the project: its options, its queue and its results. */
type ScanWalk = {
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
type Repository = {
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
type WalkFolder = {
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

function openRepository(
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
function isIndexFile(walk: ScanWalk, dev: number, ino: number): boolean {
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
