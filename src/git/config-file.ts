import { readFileSync, statSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"

/** Settings of a git configuration by "section.name" or "section.subsection.name"; section and name in lower case. */
export type GitConfig = ReadonlyMap<string, string>

/** A configuration or ignore file larger than this is not one. */
const LARGEST_BYTES = 8 * 1024 * 1024
/** As in git. */
const DEEPEST_INCLUDE = 10

/** The settings of several files, later ones winning; missing files count as empty. */
export function readGitConfig(files: readonly string[], home: string): GitConfig {
  const settings = new Map<string, string>()
  for (const file of files) addFile(settings, file, home, 0)
  return settings
}

/** Text of a regular file of bearable size, or null: what belongs to git is never worth an error. */
export function readSmallFile(path: string): string | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found?.isFile() && found.size <= LARGEST_BYTES ? readFileSync(path, "utf8") : null
  } catch {
    return null
  }
}

/** "~/x" is in the home folder. "~user/x" is not understood and never matches a file. */
export function expandHome(path: string, home: string): string {
  return path.startsWith("~/") ? join(home, path.slice(2)) : path
}

function addFile(settings: Map<string, string>, file: string, home: string, depth: number): void {
  const text = depth > DEEPEST_INCLUDE ? null : readSmallFile(file)
  if (text === null) return
  for (const [name, value] of parseGitConfig(text)) {
    settings.set(name, value)
    if (name !== "include.path") continue
    const included = expandHome(value, home)
    addFile(settings, isAbsolute(included) ? included : join(dirname(file), included), home, depth + 1)
  }
}

/** The settings of one file in their order. `includeIf` is read as any other section, so never followed. */
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
    // A name alone means true.
    if (setting) settings.push([`${section}.${setting[1]!.toLowerCase()}`, parseValue(setting[2] ?? "true")])
  }
  return settings
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" }

/** Quotes vanish, and protect spaces and the signs that would begin a comment. */
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
