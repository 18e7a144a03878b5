import { existsSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"
import { fileIdsIn, isInside, spelledOnDisk, systemError, toPosix } from "../../base/index.ts"
import { isSecretPath } from "../../text/index.ts"
import { parseGitConfig, readSmallFile } from "./config-file.ts"

export type WorkTree = {
  /** Folder that contains `.git`. */
  readonly top: string
  /** Folder with the data of this work tree: index, HEAD. */
  readonly gitDir: string
  /** Folder with the data that all work trees of the repository share: config, info/exclude. */
  readonly commonDir: string
  readonly kind: "main" | "linked" | "submodule"
}

/**
 * The git work tree that contains `folder`. It is found by searching for `.git` in the folder and its parents, without
 * running git.
 */
export function findWorkTree(folder: string): WorkTree | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = workTreeAt(at)
    if (found) return found
    if (at === dirname(at)) return null
  }
}

/** The work tree whose top is exactly this folder; null if `.git` is missing, bare or broken. */
export function workTreeAt(top: string): WorkTree | null {
  const dotGit = join(top, ".git")
  const dotGitStat = stat(dotGit)
  if (!dotGitStat) return null
  const isFolder = dotGitStat.isDirectory()
  const gitDir = isFolder ? dotGit : linkedGitDir(top, dotGit)
  const commonDir = gitDir && findCommonDir(gitDir)
  if (!gitDir || !commonDir || !isGitDir(gitDir, commonDir)) return null
  if (gitDir !== commonDir) return { top, gitDir, commonDir, kind: "linked" }
  if (isFolder && isBare(gitDir)) return null
  return { top, gitDir, commonDir, kind: isSubmodule(gitDir, isFolder) ? "submodule" : "main" }
}

/** The git folder that a `.git` file names. The file contains "gitdir: <path>", relative to its own folder. */
function linkedGitDir(top: string, dotGit: string): string | null {
  const path = /^gitdir: (.+?)[\r\n]*$/s.exec(readSmallFile(dotGit) ?? "")?.[1]
  return path === undefined ? null : resolve(top, path)
}

function findCommonDir(gitDir: string): string {
  const common = readSmallFile(join(gitDir, "commondir"))
  return common === null ? gitDir : resolve(gitDir, common.trim())
}

/**
 * True for a submodule, whose data is in `.git/modules` of the outer repository. (A repository created with
 * `--separate-git-dir` has a `.git` file, too.)
 */
function isSubmodule(gitDir: string, isFolder: boolean): boolean {
  return !isFolder && toPosix(gitDir).includes("/modules/")
}

/** True when the folder passes git's own check for a repository. */
function isGitDir(gitDir: string, commonDir: string): boolean {
  return (
    stat(join(gitDir, "HEAD")) !== undefined &&
    (stat(join(commonDir, "objects"))?.isDirectory() ?? false) &&
    (stat(join(commonDir, "refs"))?.isDirectory() ?? false)
  )
}

function isBare(gitDir: string): boolean {
  const settings = new Map(parseGitConfig(readSmallFile(join(gitDir, "config")) ?? ""))
  return ["true", "yes", "on", "1"].includes(settings.get("core.bare")?.toLowerCase() ?? "")
}

/** Status of a path; undefined if it does not exist or cannot be accessed. */
function stat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/**
 * True when the repository of a work tree confirms that the work tree is its own. A folder can claim any
 * repository of this machine as its own, with one line in a `.git` file, a `commondir` file or a symbolic
 * link, so its word is not enough where `.git` leads out of the folder:
 * - `.git` is a real folder that contains the whole repository, its objects too: confirmed;
 * - linked work tree: `<repository>/worktrees/<name>/gitdir` must name this folder's `.git`;
 * - submodule, or a repository kept elsewhere: `core.worktree` of that repository must name this folder.
 */
export function isOwnedWorkTree({ top, gitDir, commonDir, kind }: WorkTree): boolean {
  const dotGit = join(top, ".git")
  const stat = lstatSync(dotGit, { throwIfNoEntry: false })
  if (stat?.isDirectory()) return gitDir === dotGit && commonDir === gitDir && holdsItsObjects(gitDir)
  if (!stat?.isFile()) return false
  try {
    return kind === "linked"
      ? isListedWorkTree(top, realpathSync(gitDir), realpathSync(commonDir))
      : isConfiguredWorkTree(top, realpathSync(gitDir))
  } catch (error) {
    throwIfUnknown(error)
    // A path that git's files name does not exist.
    return false
  }
}

/**
 * Why aman runs no git in the repository that contains `folder`, with the next step: its files lead out of the project,
 * or git keeps them in a form that aman does not read. Null if it may, or if there is no repository.
 */
export function historyRefusal(folder: string): string | null {
  const workTree = findWorkTree(folder)
  if (workTree === null) return null
  const { top, gitDir, commonDir } = workTree
  if (readSmallFile(join(gitDir, "HEAD"))?.trim() === "ref: refs/heads/.invalid")
    return "the repository keeps its branches in a reftable; run: git refs migrate --ref-format=files"
  if (isOwnedWorkTree(workTree)) return null
  if (existsSync(join(commonDir, "objects/info/alternates")))
    return "the repository borrows objects from another one; if you made it so (git clone --shared or --reference), run git repack -a -d and remove .git/objects/info/alternates"
  return stat(join(top, ".git"))?.isDirectory()
    ? "links in .git lead to another repository; put its files in their place"
    : `the repository does not name ${top} as its own; if it is, run git config core.worktree with this folder`
}

/**
 * False when commits could come from another repository: through the file `alternates`, or through a link in place of
 * the objects folder, of a folder in it, or of a pack. A link in place of a single object is no risk, because using it
 * requires knowing the hash of the object.
 */
function holdsItsObjects(gitDir: string): boolean {
  const objects = join(gitDir, "objects")
  try {
    return (
      lstatSync(objects).isDirectory() &&
      !existsSync(join(objects, "info/alternates")) &&
      [objects, join(objects, "pack")].every(hasNoLinks)
    )
  } catch (error) {
    throwIfUnknown(error)
    return false
  }
}

function hasNoLinks(folder: string): boolean {
  return (
    !existsSync(folder) ||
    readdirSync(folder, { withFileTypes: true }).every((entry) => !entry.isSymbolicLink())
  )
}

/**
 * True if the repository lists the work tree. `gitDir` and `commonDir` must have their links resolved. The location of
 * `gitDir` decides, because a `commondir` file may name any folder.
 */
function isListedWorkTree(top: string, gitDir: string, commonDir: string): boolean {
  const list = dirname(gitDir)
  if (basename(list) !== "worktrees" || dirname(list) !== commonDir) return false
  const listed = readSmallFile(join(gitDir, "gitdir"))?.trim()
  return listed ? isDotGitOf(top, resolve(gitDir, listed)) : false
}

function isDotGitOf(top: string, path: string): boolean {
  return basename(path) === ".git" && realpathSync(dirname(path)) === realpathSync(top)
}

function isConfiguredWorkTree(top: string, gitDir: string): boolean {
  const settings = new Map(parseGitConfig(readSmallFile(join(gitDir, "config")) ?? ""))
  const workTree = settings.get("core.worktree")
  return workTree !== undefined && realpathSync(resolve(gitDir, workTree)) === realpathSync(top)
}

export type InnerPath = {
  /** The path relative to the root, with links resolved, spelled as in the file system; "" for the root itself. */
  readonly path: string
  readonly stat: Stats
}

/**
 * Why a path is refused. "missing": it does not exist; "outside": it leads out of the root; "private": it is a file of
 * aman or git, or may contain secrets.
 */
type PathRefusal = "missing" | "outside" | "private"

/**
 * Resolves a path that a user or an agent named, including links, and checks that it is inside the root and may be
 * shown. `ownFolders` are absolute paths of folders with aman's databases, whose files must not be read even by another
 * name.
 */
export function innerPath(
  root: string,
  named: string,
  ownFolders: readonly string[],
): InnerPath | PathRefusal {
  if (isForeign(named)) return "outside"
  if (!isInside(root, join(root, named))) return "outside"
  const real = realPath(join(root, spelledOnDisk(root, named)))
  if (real === null) return "missing"
  const realRoot = realpathSync(root)
  if (!isInside(realRoot, real)) return "outside"
  const path = toPosix(real.slice(realRoot.length).replace(/^[\\/]/u, ""))
  if (isInAmanFolder(real, realRoot, ownFolders) || isPrivate(path)) return "private"
  const stat = lstatSync(real, { throwIfNoEntry: false })
  if (stat === undefined || stat.isSymbolicLink()) return "outside"
  return isAmanFile(stat, ownFolders) ? "private" : { path, stat }
}

/**
 * True when `path` now names the open file directly, without a link, so that the file was not exchanged after the
 * check.
 */
export function isStillThere(root: string, path: string, opened: Stats): boolean {
  try {
    const full = join(realpathSync(root), path)
    const stat = lstatSync(full)
    return realpathSync(full) === full && stat.dev === opened.dev && stat.ino === opened.ino
  } catch {
    return false
  }
}

/**
 * True for a path that is absolute on any system, for a drive, a network share or a device on Windows, and for an
 * invalid path.
 */
function isForeign(path: string): boolean {
  if (path.includes("\0") || isAbsolute(path) || /^[A-Za-z]:|^[\\/]{2}/u.test(path)) return true
  return (
    process.platform === "win32" && /:|(^|[\\/])(con|prn|aux|nul|com\d|lpt\d)\s*(\.|[\\/]|$)/iu.test(path)
  )
}

function isPrivate(path: string): boolean {
  const parts = path.split("/")
  return parts.some((part) => isGitFolderName(part) || lenientName(part) === ".aman") || isSecretPath(path)
}

/** True when the path is in one of aman's own folders. A folder that contains the project itself does not count. */
function isInAmanFolder(real: string, realRoot: string, ownFolders: readonly string[]): boolean {
  return ownFolders
    .map((folder) => realPath(folder) ?? folder)
    .some((folder) => isInside(folder, real) && !isInside(folder, realRoot))
}

/**
 * True when a file is one of aman's own files under another name. It must not be opened: closing a file of a database
 * would end the locks that this process holds on it (POSIX).
 */
function isAmanFile(stat: Stats, ownFolders: readonly string[]): boolean {
  if (stat.nlink <= 1 || !stat.isFile()) return false
  return ownFolders.some((folder) => fileIdsIn(folder).has(`${stat.dev}:${stat.ino}`))
}

function realPath(path: string): string | null {
  try {
    return realpathSync.native(path)
  } catch {
    return null
  }
}

// Characters that the file system HFS+ ignores in a name (git's utf8.c, next_hfs_char).
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu

/**
 * True when a file system might treat this name as `.git`: if only the case differs, with ignored characters, or in one
 * of the spellings that Windows accepts (trailing dots and spaces, a stream, the short name). Git protects its folder
 * in the same way.
 */
export function isGitFolderName(name: string): boolean {
  const seen = lenientName(name)
  return seen === ".git" || seen === "git~1"
}

/** The name in the form in which the most tolerant file system compares it, in lower case. */
function lenientName(name: string): string {
  return name
    .replace(IGNORED, "")
    .replace(/:.*$/su, "")
    .replace(/[. ]+$/u, "")
    .toLowerCase()
}

/**
 * Throws if the error says that the process or the machine has run out of files or memory. Nothing is then known about
 * the file, and it must not be treated as unreadable.
 */
export function throwIfExhausted(error: unknown): void {
  const code = (error as { readonly code?: unknown } | null)?.code
  if (code === "EMFILE" || code === "ENFILE" || code === "ENOMEM") throw systemError(error) ?? error
}

/** Throws like `throwIfExhausted`, and also if the disk is failing. Used by checks whose result is stored. */
export function throwIfUnknown(error: unknown): void {
  throwIfExhausted(error)
  if ((error as { readonly code?: unknown } | null)?.code === "EIO") throw systemError(error) ?? error
}
