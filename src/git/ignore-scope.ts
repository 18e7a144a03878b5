import { homedir } from "node:os"
import { join, relative } from "node:path"
import { toPosix } from "../base/paths.ts"
import { expandHome, type GitConfig, readGitConfig, readSmallFile } from "./config-file.ts"
import { compileIgnoreRules, type IgnoreRules } from "./ignore-rules.ts"
import type { WorkTree } from "./work-tree.ts"

/** The ignore files that hold in one folder: its own and, through `outer`, those of the folders above. */
export type IgnoreScope = {
  readonly rules: IgnoreRules
  readonly outer: IgnoreScope | null
  /** Length of the way from the top of the work tree to the rules' folder, "/" included. */
  readonly base: number
}

/** What holds in a folder of a work tree before its own ignore file is read. */
export type IgnoreStart = {
  readonly scope: IgnoreScope | null
  readonly ignoreCase: boolean
  /** Every file that was read or looked for: when one appears or changes, the walk must begin anew. */
  readonly sources: readonly string[]
  /** The folder lies in one that its repository ignores; then no rule of the repository is in `scope`. */
  readonly isInIgnored: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The innermost file with a rule that matches decides. `path` is relative to the top of the work tree; nobody
 * asks about what lies in an ignored folder, because git never looks there.
 */
export function isIgnored(scope: IgnoreScope | null, path: string, name: string, isFolder: boolean): boolean {
  for (let at = scope; at; at = at.outer) {
    const verdict = at.rules.verdict(at.base === 0 ? path : path.slice(at.base), name, isFolder)
    if (verdict !== null) return verdict
  }
  return false
}

/** Adds the rules of a file that holds in `folder`, relative to the top of the work tree ("" for the top). */
export function addIgnoreFile(
  outer: IgnoreScope | null,
  file: string,
  folder: string,
  ignoreCase: boolean,
): IgnoreScope | null {
  const text = readSmallFile(file)
  const rules = text === null ? null : compileIgnoreRules(text, ignoreCase)
  return rules ? { rules, outer, base: folder === "" ? 0 : folder.length + 1 } : outer
}

/** The user's own rules, those of `info/exclude`, and the ignore files of the folders above `root`. */
export function startIgnoring(root: string, workTree: WorkTree, env: Environment = process.env): IgnoreStart {
  const home = env["HOME"] || homedir()
  const userHome = env["XDG_CONFIG_HOME"] || join(home, ".config")
  const configFiles = gitConfigFiles(workTree, home, userHome, env)
  const config = readGitConfig(configFiles, home)
  const ignoreCase = config.get("core.ignorecase")?.toLowerCase() === "true"
  const excludes = [userExcludes(config, home, userHome), join(workTree.commonDir, "info", "exclude")]
  const sources = [...configFiles, ...excludes]

  let scope: IgnoreScope | null = null
  for (const file of excludes) scope = addIgnoreFile(scope, file, "", ignoreCase)
  let folder = ""
  for (const name of toPosix(relative(workTree.top, root)).split("/").filter(Boolean)) {
    const file = join(workTree.top, folder, ".gitignore")
    sources.push(file)
    scope = addIgnoreFile(scope, file, folder, ignoreCase)
    folder = folder === "" ? name : `${folder}/${name}`
    if (isIgnored(scope, folder, name, true)) return { scope: null, ignoreCase, sources, isInIgnored: true }
  }
  return { scope, ignoreCase, sources, isInIgnored: false }
}

function gitConfigFiles(workTree: WorkTree, home: string, userHome: string, env: Environment): string[] {
  const system = env["GIT_CONFIG_NOSYSTEM"] ? [] : [env["GIT_CONFIG_SYSTEM"] ?? "/etc/gitconfig"]
  const global = env["GIT_CONFIG_GLOBAL"]
  const user = global === undefined ? [join(userHome, "git", "config"), join(home, ".gitconfig")] : [global]
  return [...system, ...user, join(workTree.commonDir, "config"), join(workTree.gitDir, "config.worktree")]
}

function userExcludes(config: GitConfig, home: string, userHome: string): string {
  const named = config.get("core.excludesfile")
  return named === undefined ? join(userHome, "git", "ignore") : expandHome(named, home)
}
