import { join, relative, resolve } from "node:path"
import { homeDir, isInside, toPosix } from "../../../base/index.ts"
import { expandHome, readBoundedFile, readGitConfig, TOO_LARGE } from "../config-file.ts"
import type { WorkTree } from "../work-tree.ts"
import { type GlobPattern, type PatternTable, parseIgnoreFile, parsePattern, tableOf } from "./patterns.ts"

/** The ignore rules that apply in one folder: its own rules and, through `outer`, those of its parent folders. */
export type IgnoreScope = {
  readonly rules: IgnoreRules
  readonly outer: IgnoreScope | null
  /** Length of the path from the top of the work tree to the folder of these rules, including the final "/". */
  readonly base: number
}

/**
 * True (ignored) or false, by the innermost file with a matching rule; null if no rule matches. `path` is relative to
 * the top of the work tree. Must not be called for a path inside an ignored folder, because git does not look into such
 * folders.
 */
export function ignoreVerdict(
  scope: IgnoreScope | null,
  path: string,
  name: string,
  isFolder: boolean,
): boolean | null {
  for (let at = scope; at; at = at.outer) {
    const verdict = at.rules.verdict(at.base === 0 ? path : path.slice(at.base), name, isFolder)
    if (verdict !== null) return verdict
  }
  return null
}

/** True when comparing the patterns of one of the files took too long. Results are then not reliable. */
export function isSpent(scope: IgnoreScope | null): boolean {
  for (let at = scope; at; at = at.outer) if (at.rules.isSpent) return true
  return false
}

/** Adds the rules in a text. They apply in `folder`, a path relative to the top of the work tree ("" for the top). */
export function addIgnoreText(
  outer: IgnoreScope | null,
  text: string | null,
  folder: string,
  ignoreCase: boolean,
): IgnoreScope | null {
  const rules = text === null ? null : compileIgnoreRules(text, ignoreCase)
  return rules ? { rules, outer, base: folder === "" ? 0 : folder.length + 1 } : outer
}

/**
 * Adds the rules in an ignore file. The file may have at most 8 MiB and, if `within` is given, must be inside one of
 * these folders. A larger file is not read; its rules then count as undecided (`isSpent`), so that the files it may
 * ignore are left out instead of indexed.
 */
export function addIgnoreFile(
  outer: IgnoreScope | null,
  path: string,
  folder: string,
  { ignoreCase, within = null }: { readonly ignoreCase: boolean; readonly within?: readonly string[] | null },
): IgnoreScope | null {
  const text = readBoundedFile(path, within)
  if (text === TOO_LARGE) return { rules: UNREAD_RULES, outer, base: 0 }
  return addIgnoreText(outer, text, folder, ignoreCase)
}

const UNREAD_RULES: IgnoreRules = { verdict: () => null, isSpent: true }

/** The compiled rules of one ignore file. */
export type IgnoreRules = {
  /**
   * True (ignored) or false if a rule matches; null if none does. `path` is relative to the folder of the ignore file.
   */
  verdict(path: string, name: string, isFolder: boolean): boolean | null
  /**
   * True once comparing the patterns has taken too long, and for a file that is too large to read. Verdicts are then not
   * reliable.
   */
  readonly isSpent: boolean
}

/** Compiles the text of an ignore file; null if it contains no rules. */
export function compileIgnoreRules(text: string, ignoreCase = false): IgnoreRules | null {
  const patterns = parseIgnoreFile(text)
  if (patterns.length === 0) return null
  const table = tableOf(patterns, ignoreCase)
  return {
    verdict(path, name, isFolder) {
      const position = table.last(path, name, isFolder)
      return position < 0 ? null : !patterns[position]!.isNegated
    },
    get isSpent() {
      return table.isSpent
    },
  }
}

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
/** Files with attributes, the stronger one last: that of editors (editorconfig.org) names encodings only. */
export const ATTRIBUTE_FILES = [".editorconfig", ".gitattributes"] as const

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
    for (const file of ATTRIBUTE_FILES)
      attributes = addAttributes(attributes, join(workTree.top, folder, file), folder)
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

/**
 * The value of an attribute: true (set), false (unset), or a text; null for "!attribute", which cancels the value from
 * a file farther out.
 */
export type AttributeValue = boolean | string | null

/** The attributes that are read: Linguist's, which override how a file is classified, and git's for encodings. */
export const ATTRIBUTES = [
  "linguist-generated",
  "linguist-vendored",
  "linguist-documentation",
  "working-tree-encoding",
] as const

export type Attribute = (typeof ATTRIBUTES)[number]

/** The attribute rules that apply in one folder: its own rules and, through `outer`, those of its parent folders. */
export type AttributeScope = {
  readonly rules: ReadonlyMap<Attribute, AttributeRules>
  readonly outer: AttributeScope | null
  /** Length of the path from the top of the work tree to the folder of these rules, including the final "/". */
  readonly base: number
  /** Number of patterns that must be compared one by one, in this scope and all outer ones. */
  readonly globs: number
  /** True if the attribute file of the folder is not used, because it is too large or has too many globs. */
  readonly isUnused: boolean
}

/** The lines about one attribute: their patterns and the values that they set. */
type AttributeRules = { readonly table: PatternTable; readonly values: readonly AttributeValue[] }

// Maximum number of characters in a line. git ignores longer lines, too.
const MAX_LINE_LENGTH = 2048
// Maximum number of globs in a file, because every file of the project is compared with each glob. Real projects have
// fewer. A file with more is not used, and a notice says so.
const MAX_GLOBS = 2_000

/**
 * The value of an attribute from the innermost scope with a matching line; undefined if no line matches. See
 * gitattributes(5).
 */
export function attributeOf(
  scope: AttributeScope | null,
  attribute: Attribute,
  path: string,
  name: string,
): AttributeValue | undefined {
  for (let at = scope; at; at = at.outer) {
    const rules = at.rules.get(attribute)
    const position = rules?.table.last(path.slice(at.base), name, false) ?? -1
    if (position >= 0) return rules!.values[position]!
  }
  return undefined
}

/**
 * Adds the lines about ATTRIBUTES from a text. They apply in `folder`, a path relative to the top of the work tree (""
 * for the top). Macros ("[attr]") are not expanded.
 */
export function addAttributeText(
  outer: AttributeScope | null,
  text: string | null,
  folder: string,
  ignoreCase: boolean,
): AttributeScope | null {
  const lines = text === null ? [] : parseAttributeFile(text)
  const rules = new Map<Attribute, AttributeRules>()
  let globs = outer?.globs ?? 0
  for (const attribute of ATTRIBUTES) {
    const relevant = lines.filter(({ values }) => values.has(attribute))
    if (relevant.length === 0) continue
    const patterns = relevant.map(({ pattern }) => pattern)
    const table = tableOf(patterns, ignoreCase)
    globs += table.globs
    if (globs > MAX_GLOBS) return unusedIn(outer)
    rules.set(attribute, { table, values: relevant.map(({ values }) => values.get(attribute)!) })
  }
  const base = folder === "" ? 0 : folder.length + 1
  return rules.size === 0 ? outer : { rules, outer, base, globs, isUnused: false }
}

/**
 * Adds the lines about ATTRIBUTES from a file. The file may have at most 8 MiB and, if `within` is given, must be
 * inside one of these folders.
 */
export function addAttributeFile(
  outer: AttributeScope | null,
  path: string,
  folder: string,
  { ignoreCase, within = null }: { readonly ignoreCase: boolean; readonly within?: readonly string[] | null },
): AttributeScope | null {
  const text = readBoundedFile(path, within)
  if (text === TOO_LARGE) return unusedIn(outer)
  const lines = text !== null && path.endsWith(ATTRIBUTE_FILES[0]) ? encodingAttributes(text) : text
  return addAttributeText(outer, lines, folder, ignoreCase)
}

/** The encodings other than UTF-8 in the sections of an `.editorconfig`, as lines of attributes. */
function encodingAttributes(text: string): string {
  const lines: string[] = []
  let patterns: readonly string[] = []
  for (const line of text.split("\n")) {
    if (line.length >= MAX_LINE_LENGTH || lines.length > MAX_GLOBS) continue
    const section = /^\s*\[(.+)\]\s*(?:[#;].*)?$/.exec(line)?.[1]
    if (section !== undefined) patterns = withChoices(section)
    const charset = /^\s*charset\s*[=:]\s*([-\w]+)/i.exec(line)?.[1] ?? "utf-8"
    if (/^utf-?8/i.test(charset)) continue
    lines.push(...patterns.map((pattern) => `${JSON.stringify(pattern)} working-tree-encoding=${charset}`))
  }
  return lines.join("\n")
}

/** The patterns that a section stands for, `*.c` and `*.h` for `*.{c,h}`; none for more than 64. */
function withChoices(section: string): string[] {
  const group = /\{([^{},]*,[^{}]*)\}/
  for (let patterns = [section]; ; ) {
    const choices = group.exec(patterns[0]!)?.[1]?.split(",")
    if (choices === undefined) return patterns
    if (patterns.length * choices.length > 64) return []
    patterns = patterns.flatMap((pattern) => choices.map((choice) => pattern.replace(group, () => choice)))
  }
}

function unusedIn(outer: AttributeScope | null): AttributeScope {
  return { rules: new Map(), outer, base: 0, globs: outer?.globs ?? 0, isUnused: true }
}

type AttributeLine = {
  readonly pattern: GlobPattern
  readonly values: ReadonlyMap<Attribute, AttributeValue>
}

function parseAttributeFile(text: string): AttributeLine[] {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  return body.split("\n").flatMap((line) => {
    if (line.length >= MAX_LINE_LENGTH || !/linguist-|working-tree-encoding/.test(line)) return []
    return parseLine(line) ?? []
  })
}

/** Parses a line; null for a comment, a macro definition, and a line that git rejects. */
function parseLine(line: string): AttributeLine | null {
  if (/^[ \t\r]*#/.test(line)) return null
  const [, written, states] = split(line)
  if (written === undefined || states === undefined || /^(?:!|\[attr\].)/.test(written)) return null
  const pattern = parsePattern(written)
  const values = new Map<Attribute, AttributeValue>()
  for (const state of states.split(/[ \t\r]+/).filter(Boolean)) {
    const [, sign, attribute, value] = STATE.exec(state) ?? []
    if (attribute === undefined) return null
    if (isRead(attribute)) values.set(attribute, stateOf(sign, value))
  }
  return pattern && values.size > 0 ? { pattern, values } : null
}

function isRead(attribute: string): attribute is Attribute {
  return (ATTRIBUTES as readonly string[]).includes(attribute)
}

const QUOTED = /^[ \t\r]*"((?:[^"\\]|\\(?:[abfnrtv"\\]|[0-3][0-7]{2}))*)"(.*)$/s
const PLAIN = /^[ \t\r]*([^ \t\r]+)(.*)$/s
const STATE = /^([-!]?)([\w.][\w.-]*)(?:=(.*))?$/s

function stateOf(sign: string | undefined, value: string | undefined): AttributeValue {
  if (sign === "-") return false
  return sign === "!" ? null : (value ?? true)
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" },
}

/**
 * Splits a line into the whole match, its pattern and its attributes. A pattern with invalid quoting is taken
 * literally.
 */
function split(line: string): readonly string[] {
  const quoted = QUOTED.exec(line)
  return quoted ? [line, unquote(quoted[1]!), quoted[2]!] : (PLAIN.exec(line) ?? [])
}

/** Decodes a pattern that is quoted as in C, with escapes and with bytes as three octal digits. */
function unquote(quoted: string): string {
  if (!quoted.includes("\\")) return quoted
  const bytes = Buffer.from(quoted, "utf8")
    .toString("latin1")
    .replace(/\\([0-3][0-7]{2}|.)/gs, (_, code: string) =>
      code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
    )
  return Buffer.from(bytes, "latin1").toString("utf8")
}
