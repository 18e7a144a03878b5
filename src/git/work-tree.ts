import { type Stats, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { toPosix } from "../base/paths.ts"
import { parseGitConfig, readSmallFile } from "./config-file.ts"

export type WorkTree = {
  /** Folder that contains `.git`. */
  readonly top: string
  /** This work tree's own data: index, HEAD. */
  readonly gitDir: string
  /** Data shared by all work trees of the repository: config, info/exclude. */
  readonly commonDir: string
  readonly kind: "main" | "linked" | "submodule"
}

/** The git work tree that contains `folder`, found by searching upwards for `.git`; does not run git. */
export function findWorkTree(folder: string): WorkTree | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = workTreeAt(at)
    if (found) return found
    if (at === dirname(at)) return null
  }
}

/** The work tree whose top is exactly this folder; null if `.git` is absent, bare or broken. */
export function workTreeAt(top: string): WorkTree | null {
  const dotGit = join(top, ".git")
  const found = stat(dotGit)
  if (!found) return null
  const isFolder = found.isDirectory()
  const gitDir = isFolder ? dotGit : linkedGitDir(top, dotGit)
  const commonDir = gitDir && findCommonDir(gitDir)
  if (!gitDir || !commonDir || !isGitDir(gitDir, commonDir)) return null
  if (gitDir !== commonDir) return { top, gitDir, commonDir, kind: "linked" }
  if (isFolder && isBare(gitDir)) return null
  return { top, gitDir, commonDir, kind: isSubmodule(gitDir, isFolder) ? "submodule" : "main" }
}

/** A `.git` file contains "gitdir: <path>", relative to its folder. */
function linkedGitDir(top: string, dotGit: string): string | null {
  const path = /^gitdir: (.+?)[\r\n]*$/s.exec(readSmallFile(dotGit) ?? "")?.[1]
  return path === undefined ? null : resolve(top, path)
}

function findCommonDir(gitDir: string): string {
  const common = readSmallFile(join(gitDir, "commondir"))
  return common === null ? gitDir : resolve(gitDir, common.trim())
}

/**
 * A submodule's data is in `.git/modules` of its superproject; `--separate-git-dir` makes a `.git` file, too.
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

/** Status of a path; undefined if the path is absent or cannot be accessed. */
function stat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
