import { readFileSync, realpathSync, statSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"
import { isInside, resolvedOr, toPosix } from "../../base/index.ts"
import { utf8Bytes, wildmatch } from "./ignore/patterns.ts"

/**
 * The settings of a git configuration, by "section.name" or "section.subsection.name". Section and name are in lower
 * case.
 */
type GitConfig = ReadonlyMap<string, string>

/** The context in which a configuration is read: the home folder, the repository, and where included files may be. */
type ConfigPlace = {
  readonly home: string
  /** The folder of the repository, for `includeIf "gitdir:…"`; null outside of a repository. */
  readonly gitDir: string | null
  /**
   * A file that a project's configuration includes must be inside one of these folders. Null for the user's
   * configuration, which may include any file.
   */
  readonly within: readonly string[] | null
}

/** Maximum size in bytes of a configuration or ignore file; a larger file is not read. */
const MAX_BYTES = 8 * 1024 * 1024
/** Maximum depth of nested includes, the same as in git. */
const MAX_INCLUDE_DEPTH = 10

/** Reads the settings of several files. Later files override earlier ones, and missing files count as empty. */
export function readGitConfig(files: readonly string[], place: ConfigPlace): GitConfig {
  const settings = new Map<string, string>()
  for (const file of files) addFile(settings, file, place, 0)
  return settings
}

/**
 * The text of a regular file within the size limit; null otherwise, because a problem with git's files must not be an
 * error for the user.
 */
export function readSmallFile(path: string, within: readonly string[] | null = null): string | null {
  const text = readBoundedFile(path, within)
  return text === TOO_LARGE ? null : text
}

export const TOO_LARGE = Symbol("too large")

/** Like `readSmallFile`, but returns TOO_LARGE for a regular file above the size limit. */
export function readBoundedFile(
  path: string,
  within: readonly string[] | null,
): string | null | typeof TOO_LARGE {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat?.isFile() || (within && !liesWithin(path, within))) return null
    return stat.size > MAX_BYTES ? TOO_LARGE : readFileSync(path, "utf8")
  } catch {
    return null
  }
}

/**
 * Replaces "~" at the start of a path by the home folder. "~user/x" is not supported: it stays as it is and matches no
 * file.
 */
export function expandHome(path: string, home: string): string {
  return path.startsWith("~/") ? join(home, path.slice(2)) : path
}

/** True when the path, with links resolved, is inside one of the folders. */
function liesWithin(path: string, folders: readonly string[]): boolean {
  const real = realpathSync(path)
  return folders.some((folder) => isInside(realpathSync(folder), real))
}

function addFile(settings: Map<string, string>, file: string, place: ConfigPlace, depth: number): void {
  const text = depth > MAX_INCLUDE_DEPTH ? null : readSmallFile(file, place.within)
  if (text === null) return
  for (const [name, value] of parseGitConfig(text)) {
    settings.set(name, value)
    if (!isInclude(name, file, place)) continue
    const included = expandHome(value, place.home)
    addFile(settings, isAbsolute(included) ? included : join(dirname(file), included), place, depth + 1)
  }
}

const CONDITION = /^includeif\.gitdir(\/i)?:(.+)\.path$/s

/**
 * True for the setting `include.path`, and for `includeIf.gitdir:<pattern>.path` if the folder of the repository
 * matches the pattern; see git-config(1).
 */
function isInclude(name: string, file: string, { home, gitDir }: ConfigPlace): boolean {
  if (name === "include.path") return true
  const [, ignoreCase, condition] = CONDITION.exec(name) ?? []
  if (condition === undefined || gitDir === null) return false
  let pattern = expandHome(condition, home)
  if (pattern.startsWith("./")) pattern = toPosix(dirname(file)) + pattern.slice(1)
  else if (!isAbsolute(pattern)) pattern = `**/${pattern}`
  if (pattern.endsWith("/")) pattern += "**"
  return [resolvedOr(gitDir), gitDir].some((folder) =>
    wildmatch(utf8Bytes(pattern), utf8Bytes(toPosix(folder)), ignoreCase !== undefined),
  )
}

/** The settings in the text of one file, in order. */
export function parseGitConfig(text: string): [name: string, value: string][] {
  const settings: [string, string][] = []
  let section = ""
  for (const line of text
    .replace(/^\uFEFF/, "")
    .replace(/\\\r?\n/g, "")
    .split(/\r?\n/)) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line)
    if (header) {
      section = header[1]!.toLowerCase()
      if (header[2] !== undefined) section += `.${header[2].replace(/\\(.)/g, "$1")}`
    }
    const setting = /^\s*([A-Za-z][\w-]*)\s*(?:=(.*))?$/.exec(header ? header[3]! : line)
    // In git, a name without a value means true.
    if (setting) settings.push([`${section}.${setting[1]!.toLowerCase()}`, parseValue(setting[2] ?? "true")])
  }
  return settings
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" }

/** Removes quotes; quoted text keeps its spaces and comment signs. */
function parseValue(text: string): string {
  let value = ""
  let end = 0
  for (const [token] of text.trimStart().matchAll(/"(?:[^"\\]|\\.)*"|\\.|[#;].*|\s+|[^"\\#;\s]+/gs)) {
    if (token.startsWith("#") || token.startsWith(";")) break
    value += withoutEscapes(token.startsWith('"') ? token.slice(1, -1) : token)
    if (token.trim() !== "") end = value.length
  }
  return value.slice(0, end)
}

function withoutEscapes(text: string): string {
  return text.replace(/\\(.)/gs, (_, char: string) => ESCAPES[char] ?? char)
}
