/**
 * Walks through the folders of a project. For each folder in the queue: read its entries (or take them from an earlier
 * scan if the folder has not changed); decide by its entries whether it is skipped; add the rules of its ignore and
 * attribute files; add its files to the result; add its subfolders to the queue. `scanProject` is the entry point.
 */

import { type Dirent, lstatSync, readdirSync } from "node:fs"
import { compareTexts } from "../../base/compare-texts.ts"
import { AmanError } from "../../base/errors.ts"
import { FILE_FLAG } from "../../base/files/file-flag.ts"
import { isSecretFile, isSecretFolder } from "../../base/secrets.ts"
import { throwIfExhausted } from "../../base/system-error.ts"
import {
  ATTRIBUTES_FILE,
  type Attribute,
  type AttributeScope,
  addAttributeFile,
  addIgnoreFile,
  attributeOf,
  type IgnoreScope,
  ignoreVerdict,
  isSpent,
  OWN_IGNORE_FILE,
  startIgnoring,
} from "../../git/ignore/ignore-scope.ts"
import { workTreeAt } from "../../git/work-tree.ts"
import { maxBytesOf } from "../../text/files/read-source.ts"
import { isInvalidName, isMetadataFolder, skipFileName, skipFolderName } from "./scan-names.ts"
import { mayBeOutput, outputReason } from "./scan-output.ts"
import {
  count,
  type ScannedFile,
  type ScanOptions,
  type ScanResult,
  type SkipReason,
  type SkipTally,
} from "./scan-result.ts"
import {
  finishWalk,
  isIndexFile,
  openRepository,
  type ScanWalk,
  startWalk,
  type UnchangedFolder,
  type WalkFolder,
  watch,
} from "./scan-walk.ts"

export type Listing = {
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
  for (const entry of listing.entries) {
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

type LeftOutRepository = "nested repository" | "submodule"

/**
 * The folder, with the rules that apply in it; or the reason why it is skipped. At the top of another repository, the
 * rules of that repository replace all others. Submodules belong to the project, and so do repositories below a root
 * that is not in a repository. Linked work trees do not, because they are copies.
 */
function enterRepository(
  walk: ScanWalk,
  folder: WalkFolder,
  names: readonly string[],
): WalkFolder | LeftOutRepository {
  if (folder.path === "" || !names.includes(".git")) return folder
  const top = absolute(walk, folder.path)
  const workTree = workTreeAt(top)
  if (!workTree) return folder
  if (workTree.kind === "submodule" && walk.options.submodules === false && !folder.isReincluded)
    return "submodule"
  const isForeign = workTree.kind === "linked" || (workTree.kind === "main" && walk.isInRepository)
  if (isForeign && !folder.isReincluded) return "nested repository"
  const start = startIgnoring(top, workTree)
  const repository = openRepository(workTree, start)
  walk.rules.push(...start.sources.map(watch))
  const { scope, attributes } = start
  return { ...folder, gitPath: "", repository, scope, attributes, onlyTracked: false, isRepository: true }
}

/** Names of the files whose content decides about other files. */
export const RULE_FILES: readonly string[] = [".gitignore", OWN_IGNORE_FILE, ATTRIBUTES_FILE]

function withRules(walk: ScanWalk, folder: WalkFolder): WalkFolder {
  const { ignoreCase } = folder.repository
  // Rule files that do not exist are watched, too: when one appears, everything must be scanned again.
  const [git, aman, attributes] = RULE_FILES.map((name) => {
    const file = absolute(walk, below(folder.path, name))
    walk.rules.push(watch(file))
    return isLink(file) || folder.repository.isLinkAsText(below(folder.gitPath, name)) ? null : file
  })
  const addRules = (outer: IgnoreScope | null, file: string | null | undefined, holdsIn: string) =>
    file == null ? outer : addIgnoreFile(outer, file, holdsIn, { ignoreCase })
  return {
    ...folder,
    scope: addRules(folder.scope, git, folder.gitPath),
    amanScope: addRules(folder.amanScope, aman, trimSlash(walk.rootInRepository + folder.path)),
    attributes:
      attributes == null
        ? folder.attributes
        : addAttributeFile(folder.attributes, attributes, folder.gitPath, { ignoreCase }),
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

function trimSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path
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
  for (const [attribute, affirmed, denied] of FLAGS) {
    let value = attributeOf(repositoryAttributes, attribute, path, name)
    if (value === undefined) value = attributeOf(scope, attribute, path, name)
    if (value === undefined || value === null) continue
    attributeFlags |= value === false || value === "false" ? denied : affirmed
  }
  return attributeFlags
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
    const isLarge = found.size > maxBytesOf(path, walk.options.maxFileBytes)
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

/**
 * Every file and folder that a scan skips, with the reason. Entries below a skipped folder are not listed. This scans
 * the whole project, because limits and nested repositories also decide what is skipped.
 */
export function skippedEntries(root: string, options: ScanOptions): SkippedEntry[] {
  const { walk, top } = startWalk(root, options, Date.now())
  const skipped: SkippedEntry[] = []
  walk.onSkip = (path, reason) => void skipped.push({ path, reason })
  const listing = readFolder(walk, top)
  if (typeof listing !== "string") walkFrom(walk, top, listing)
  return skipped
}

export type SkippedEntry = { readonly path: string; readonly reason: SkipReason }

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
