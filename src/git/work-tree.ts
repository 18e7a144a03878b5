import { type Stats, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { toPosix } from "../base/paths.ts"
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
