import { join, relative, resolve } from "node:path"
import { homeDir, isInside, toPosix } from "../base/paths.ts"
import { type AttributeScope, addAttributeText } from "./attributes.ts"
import { expandHome, readGitConfig, readSmallFile } from "./config-file.ts"
import { addIgnoreText, type IgnoreScope, ignoreVerdict } from "./ignore-scope.ts"
import type { WorkTree } from "./work-tree.ts"

/** What holds in a folder before its own ignore files are read. */
export type IgnoreStart = {
  /** Rules as git has them. */
  readonly scope: IgnoreScope | null
  /** Our own rules of the folders above. */
  readonly own: IgnoreScope | null
  /** What the `.gitattributes` of the folders above say. */
  readonly attributes: AttributeScope | null
  /** The repository's `info/attributes`, which no `.gitattributes` speaks against. */
  readonly ownAttributes: AttributeScope | null
  readonly ignoreCase: boolean
  /** Every file that was read or looked for: when one appears or changes, the walk must begin anew. */
  readonly sources: readonly string[]
  /** The folder lies in one that its repository ignores; then no rule of the repository is in `scope`. */
  readonly isInIgnored: boolean
}

/**
 * Written like `.gitignore`, and stronger: what it names is out though tracked, what it takes back is in though
 * ignored.
 */
export const OWN_IGNORE_FILE = ".amanignore"
export const ATTRIBUTES_FILE = ".gitattributes"

type Environment = Readonly<Record<string, string | undefined>>

/** The user's own rules, those of `info/exclude`, and the ignore files of the folders above `root`. */
export function startIgnoring(
  root: string,
  workTree: WorkTree | null,
  env: Environment = process.env,
): IgnoreStart {
  const user = userRules(workTree, env)
  const sources = [...user.sources]
  const nothing = { own: null, attributes: null, ownAttributes: null, isInIgnored: false }
  if (!workTree) return { ...nothing, scope: user.scope, ignoreCase: false, sources }

  const { ignoreCase } = user
  const within = foldersOf(workTree)
  const read = (path: string) => {
    sources.push(path)
    return readSmallFile(path, within)
  }
  const add = (outer: IgnoreScope | null, path: string, folder: string) =>
    addIgnoreText(outer, read(path), folder, ignoreCase)
  const addAttributes = (outer: AttributeScope | null, path: string, folder: string) =>
    addAttributeText(outer, read(path), folder, ignoreCase)
  let scope = add(user.scope, join(workTree.commonDir, "info", "exclude"), "")
  let own: IgnoreScope | null = null
  let attributes: AttributeScope | null = null
  const ownAttributes = addAttributes(null, join(workTree.commonDir, "info", "attributes"), "")
  let folder = ""
  for (const name of toPosix(relative(workTree.top, root)).split("/").filter(Boolean)) {
    scope = add(scope, join(workTree.top, folder, ".gitignore"), folder)
    own = add(own, join(workTree.top, folder, OWN_IGNORE_FILE), folder)
    attributes = addAttributes(attributes, join(workTree.top, folder, ATTRIBUTES_FILE), folder)
    folder = folder === "" ? name : `${folder}/${name}`
    if (ignoreVerdict(scope, folder, name, true))
      return { ...nothing, scope: user.scope, ignoreCase, sources, isInIgnored: true }
  }
  return { scope, own, attributes, ownAttributes, ignoreCase, sources, isInIgnored: false }
}

type UserRules = Pick<IgnoreStart, "scope" | "ignoreCase" | "sources">

/** The file that `core.excludesFile` names or git's own default; it holds in folders without git, too. */
function userRules(workTree: WorkTree | null, env: Environment): UserRules {
  // Without any, a relative path would lie in the project.
  const home = env["HOME"] || homeDir(env) || "/"
  const userHome = env["XDG_CONFIG_HOME"] || join(home, ".config")
  const place = { home, gitDir: workTree?.gitDir ?? null }
  const userFiles = userConfigFiles(home, userHome, env)
  const ownFiles = workTree
    ? [join(workTree.commonDir, "config"), join(workTree.gitDir, "config.worktree")]
    : []
  const within = workTree ? foldersOf(workTree) : []
  const user = readGitConfig(userFiles, { ...place, within: null })
  const own = readGitConfig(ownFiles, { ...place, within })
  const ignoreCase = isTrue(own.get("core.ignorecase") ?? user.get("core.ignorecase"))

  const locate = (named: string) => resolve(workTree?.top ?? home, expandHome(named, home))
  const ownNamed = own.get("core.excludesfile")
  const ownPath = ownNamed === undefined ? null : locate(ownNamed)
  const userNamed = user.get("core.excludesfile")
  const userPath = userNamed === undefined ? join(userHome, "git", "ignore") : locate(userNamed)
  const isOwn = ownPath !== null && within.some((folder) => isInside(folder, ownPath))
  const text = isOwn ? readSmallFile(ownPath, within) : readSmallFile(userPath)
  return {
    scope: addIgnoreText(null, text, "", ignoreCase),
    ignoreCase,
    sources: [...userFiles, ...ownFiles, isOwn ? ownPath : userPath],
  }
}

function userConfigFiles(home: string, userHome: string, env: Environment): string[] {
  const system = isTrue(env["GIT_CONFIG_NOSYSTEM"]) ? [] : [env["GIT_CONFIG_SYSTEM"] ?? "/etc/gitconfig"]
  const global = env["GIT_CONFIG_GLOBAL"]
  const user = global === undefined ? [join(userHome, "git", "config"), join(home, ".gitconfig")] : [global]
  return [...system, ...user]
}

/** What comes with a project makes us read nothing outside of it and of its repository. */
function foldersOf({ top, gitDir, commonDir }: WorkTree): string[] {
  return [top, gitDir, commonDir]
}

function isTrue(value: string | undefined): boolean {
  return ["true", "yes", "on", "1"].includes(value?.toLowerCase() ?? "")
}
