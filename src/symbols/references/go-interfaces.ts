import type { SymbolDefinition } from "../definition.ts"

/** Packages of Go's library that take values of any type and call no methods other than those of well-known names. */
const TAKES_ANY = /^(?:encoding\/\w+|errors|fmt|log(?:\/slog)?|reflect|sync(?:\/atomic)?|testing)$/
const IMPORT = /^\s*(?:import\s+)?(?:([\w.]+)\s+)?"([^"\s]+)"\s*(?:\/\/.*)?$/
const RESULT = /^func\b.*\)\s*\(?(?:\w+\s+)?(\w+)\.\p{Lu}\w*[^*{]*\{\s*$/u

/** Longer lines are skipped, because comparing them could take time that grows with the square of their length. */
const MAX_LINE_CHARS = 1_000

/**
 * True for an exported Go method that an interface of a package outside of the project may require. Four signs on its
 * type in the same file: `var _ pkg.Interface = …` asserts it; a function with the result type `pkg.Interface` returns
 * it; a call of such a package takes it; it embeds a type of such a package. `lines` are the lines of the file.
 */
export function mayImplementForeign({ symbol, file }: SymbolDefinition, lines: readonly string[]): boolean {
  const { name, owner } = symbol
  if (file.family !== "go" || owner === null || !/^\p{Lu}/u.test(name)) return false
  const names = foreignNames({ symbol, file }, lines)
  if (names.size === 0) return false
  const type = RegExp.escape(owner)
  const short = lines.filter((line) => line.length <= MAX_LINE_CHARS)
  return embedsForeign(type, short, names) || servesForeign(type, short, names)
}

/** True if the struct embeds a type of one of the packages. */
function embedsForeign(type: string, lines: readonly string[], names: ReadonlySet<string>): boolean {
  const declared = new RegExp(`^\\s*(?:type\\s+)?${type}\\s+struct\\s*\\{\\s*$`)
  const start = lines.findIndex((line) => declared.test(line)) + 1
  if (start === 0) return false
  const end = lines.findIndex((line, at) => at >= start && /^\s*\}/.test(line))
  const fields = lines.slice(start, end === -1 ? lines.length : end)
  return fields.some((line) => names.has(EMBEDDED.exec(line)?.[1] ?? ""))
}

const EMBEDDED = /^\s*\*?(\w+)\.\p{Lu}\w*\s*(?:`.*)?$/u

/** True if a value of the type is asserted to be, returned as, or passed to something of one of the packages. */
function servesForeign(type: string, lines: readonly string[], names: ReadonlySet<string>): boolean {
  const value = `(?:&?${type}\\{|new\\(${type}\\)|\\(\\*${type}\\)\\(|\\b${type}\\()`
  const asserted = new RegExp(`^\\s*(?:var\\s+)?_\\s+(\\w+)\\.\\p{Lu}\\w*\\s*=\\s*${value}`, "u")
  const returned = new RegExp(`^\\s*return\\s+${value}`)
  const passed = new RegExp(`\\b(\\w+)\\.\\p{Lu}\\w*\\((?:.*[\\s,(])?${value}`, "u")
  let result: string | undefined
  for (const line of lines) {
    if (line.startsWith("func")) result = RESULT.exec(line)?.[1]
    const by =
      asserted.exec(line)?.[1] ?? passed.exec(line)?.[1] ?? (returned.test(line) ? result : undefined)
    if (by !== undefined && names.has(by)) return true
  }
  return false
}

/** The names by which a file refers to packages outside of the project. */
function foreignNames({ file }: SymbolDefinition, lines: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const line of lines) {
    if (/^(?:func|type|var|const)\b/.test(line)) break
    const [, alias, module] = IMPORT.exec(line) ?? []
    if (module === undefined || TAKES_ANY.test(module) || file.isOfProject(module)) continue
    names.add(alias ?? packageName(module))
  }
  return names
}

/** The usual name of the package at an import path: its last word that is not a version. */
function packageName(module: string): string {
  const last = module.replace(/\/v\d+$/, "").replace(/\.v\d+$/, "")
  return last.slice(last.lastIndexOf("/") + 1).replace(/^go-|-go$/g, "")
}
