import { readBoundedFile, TOO_LARGE } from "../config-file.ts"
import { type GlobPattern, parsePattern } from "./ignore-pattern.ts"
import { type PatternTable, tableOf } from "./pattern-table.ts"

/**
 * The value of an attribute: true (set), false (unset), or a text; null for "!attribute", which cancels the value from
 * a file farther out.
 */
export type AttributeValue = boolean | string | null

/** The attributes that are read. They override how Linguist classifies a file. */
export const ATTRIBUTES = ["linguist-generated", "linguist-vendored", "linguist-documentation"] as const

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
  return text === TOO_LARGE ? unusedIn(outer) : addAttributeText(outer, text, folder, ignoreCase)
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
    if (line.length >= MAX_LINE_LENGTH || !line.includes("linguist-")) return []
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
