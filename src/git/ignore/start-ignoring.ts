import { join, relative, resolve } from "node:path"
import { homeDir, isInside, toPosix } from "../../base/paths.ts"
import { expandHome, readGitConfig } from "../config-file.ts"
import type { WorkTree } from "../work-tree.ts"
import { type AttributeScope, addAttributeFile } from "./attributes.ts"
import { addIgnoreFile, type IgnoreScope, ignoreVerdict } from "./ignore-scope.ts"

/** The rules that apply in the root folder before the ignore files in it are read. */
export type IgnoreStart = {
  /** git's rules. */
  readonly scope: IgnoreScope | null
  /** Rules from the `.amanignore` files in the folders above the root. */
  readonly amanScope: IgnoreScope | null
  /** Rules from the `.gitattributes` files in the folders above the root. */
  readonly attributes: AttributeScope | null
  /** Rules from the repository's `info/attributes`, which has precedence over every `.gitattributes`. */
  readonly repositoryAttributes: AttributeScope | null
  readonly ignoreCase: boolean
  /** True if git writes symbolic links as text files with their targets, because `core.symlinks` is false. */
  readonly hasLinksAsText: boolean
  /**
   * Every file that was read, or that would be read if it existed. When one of them appears or changes, the project
   * must be scanned again.
   */
  readonly sources: readonly string[]
  /**
   * True when the root is inside a folder that its repository ignores. `scope` then contains no rules of the
   * repository.
   */
  readonly isInIgnored: boolean
}

/**
 * Name of aman's own ignore file. It has the same syntax as `.gitignore` but precedence over it: files that it names
 * are excluded even if they are tracked, and files that it negates are included even if they are ignored.
 */
export const OWN_IGNORE_FILE = ".amanignore"
export const ATTRIBUTES_FILE = ".gitattributes"

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Collects the user's own rules, the rules in `info/exclude`, and those in the ignore files of the folders above
 * `root`.
 */
export function startIgnoring(
  root: string,
  workTree: WorkTree | null,
  env: Environment = process.env,
): IgnoreStart {
  const user = userRules(workTree, env)
  const sources = [...user.sources]
  const nothing = { amanScope: null, attributes: null, repositoryAttributes: null, isInIgnored: false }
  if (!workTree) return { ...nothing, scope: user.scope, ignoreCase: false, hasLinksAsText: false, sources }

  const { ignoreCase, hasLinksAsText } = user
  const within = foldersOf(workTree)
  const watched = (path: string) => {
    sources.push(path)
    return path
  }
  const add = (outer: IgnoreScope | null, path: string, folder: string) =>
    addIgnoreFile(outer, watched(path), folder, { ignoreCase, within })
  const addAttributes = (outer: AttributeScope | null, path: string, folder: string) =>
    addAttributeFile(outer, watched(path), folder, { ignoreCase, within })
  let scope = add(user.scope, join(workTree.commonDir, "info", "exclude"), "")
  let amanScope: IgnoreScope | null = null
  let attributes: AttributeScope | null = null
  const repositoryAttributes = addAttributes(null, join(workTree.commonDir, "info", "attributes"), "")
  let folder = ""
  for (const name of toPosix(relative(workTree.top, root)).split("/").filter(Boolean)) {
    scope = add(scope, join(workTree.top, folder, ".gitignore"), folder)
    amanScope = add(amanScope, join(workTree.top, folder, OWN_IGNORE_FILE), folder)
    attributes = addAttributes(attributes, join(workTree.top, folder, ATTRIBUTES_FILE), folder)
    folder = folder === "" ? name : `${folder}/${name}`
    if (ignoreVerdict(scope, folder, name, true))
      return { ...nothing, scope: user.scope, ignoreCase, hasLinksAsText, sources, isInIgnored: true }
  }
  const settings = { ignoreCase, hasLinksAsText }
  return { scope, amanScope, attributes, repositoryAttributes, ...settings, sources, isInIgnored: false }
}

type UserRules = Pick<IgnoreStart, "scope" | "ignoreCase" | "hasLinksAsText" | "sources">

/**
 * The rules in the file that `core.excludesFile` names, or in git's default file. They also apply in folders without
 * git.
 */
function userRules(workTree: WorkTree | null, env: Environment): UserRules {
  // Without a home folder, "/" is used, because a relative path would lead into the project.
  const home = env["HOME"] || homeDir(env) || "/"
  const userHome = env["XDG_CONFIG_HOME"] || join(home, ".config")
  const place = { home, gitDir: workTree?.gitDir ?? null }
  const userFiles = userConfigFiles(home, userHome, env)
  const repositoryFiles = workTree
    ? [join(workTree.commonDir, "config"), join(workTree.gitDir, "config.worktree")]
    : []
  const within = workTree ? foldersOf(workTree) : []
  const user = readGitConfig(userFiles, { ...place, within: null })
  const repository = readGitConfig(repositoryFiles, { ...place, within })
  const setting = (name: string) => repository.get(name) ?? user.get(name)
  const ignoreCase = isTrue(setting("core.ignorecase"))
  const hasLinksAsText = !isTrue(setting("core.symlinks") ?? "true")

  const locate = (named: string) => resolve(workTree?.top ?? home, expandHome(named, home))
  const repositoryNamed = repository.get("core.excludesfile")
  const repositoryPath = repositoryNamed === undefined ? null : locate(repositoryNamed)
  const userNamed = user.get("core.excludesfile")
  const userPath = userNamed === undefined ? join(userHome, "git", "ignore") : locate(userNamed)
  const fromRepository = repositoryPath !== null && within.some((folder) => isInside(folder, repositoryPath))
  const path = fromRepository ? repositoryPath : userPath
  return {
    scope: addIgnoreFile(null, path, "", { ignoreCase, within: fromRepository ? within : null }),
    ignoreCase,
    hasLinksAsText,
    sources: [...userFiles, ...repositoryFiles, path],
  }
}

function userConfigFiles(home: string, userHome: string, env: Environment): string[] {
  const system = isTrue(env["GIT_CONFIG_NOSYSTEM"]) ? [] : [env["GIT_CONFIG_SYSTEM"] ?? "/etc/gitconfig"]
  const global = env["GIT_CONFIG_GLOBAL"]
  const user = global === undefined ? [join(userHome, "git", "config"), join(home, ".gitconfig")] : [global]
  return [...system, ...user]
}

/** A file that a project's own git configuration names is read only if it is in one of these folders. */
function foldersOf({ top, gitDir, commonDir }: WorkTree): string[] {
  return [top, gitDir, commonDir]
}

function isTrue(value: string | undefined): boolean {
  return ["true", "yes", "on", "1"].includes(value?.toLowerCase() ?? "")
}
