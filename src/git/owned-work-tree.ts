import { existsSync, lstatSync, readdirSync, realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { throwIfUnknown } from "../base/system-error.ts"
import { parseGitConfig, readSmallFile } from "./config-file.ts"
import type { WorkTree } from "./work-tree.ts"

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
