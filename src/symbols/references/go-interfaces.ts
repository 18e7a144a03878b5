import type { SymbolDefinition } from "../definition.ts"

/** Packages of Go's library that take values of any type and call no methods other than those of well-known names. */
const TAKES_ANY = /^(?:encoding\/\w+|errors|fmt|log(?:\/slog)?|reflect|sync(?:\/atomic)?|testing)$/
const IMPORT = /^\s*(?:import\s+)?(?:([\w.]+)\s+)?"([^"\s]+)"\s*(?:\/\/.*)?$/
const RESULT = /^func\b.*\)\s*\(?(?:\w+\s+)?(\w+)\.\p{Lu}\w*[^*{]*\{\s*$/u

/**
 * True for an exported Go method that an interface of a package outside of the project may require. Four signs on its
 * type in the same file: `var _ pkg.Interface = …` asserts it; a function with the result type `pkg.Interface` returns
 * it; a call of such a package takes it; it embeds a type of such a package. `lines` are the lines of the file.
 */
export function mayImplementForeign({ symbol, file }: SymbolDefinition, lines: readonly string[]): boolean {
  const { name, owner } = symbol
  if (file.family !== "go" || owner === null || !/^\p{Lu}/u.test(name)) return false
  const value = `(?:&?${owner}\\{|new\\(${owner}\\)|\\(\\*${owner}\\)\\(|\\b${owner}\\()`
  const asserted = new RegExp(`^\\s*(?:var\\s+)?_\\s+(\\w+)\\.\\p{Lu}\\w*\\s*=\\s*${value}`, "u")
  const returned = new RegExp(`^\\s*return\\s+${value}`)
  const passed = new RegExp(`\\b(\\w+)\\.\\p{Lu}\\w*\\((?:.*[\\s,(])?${value}`, "u")
  const declared = new RegExp(`^\\s*(?:type\\s+)?${owner}\\s+struct\\s*\\{\\s*$`)
  const names = foreignNames({ symbol, file }, lines)
  let result: string | undefined
  let isInType = false
  for (const line of lines) {
    if (line.startsWith("func")) result = RESULT.exec(line)?.[1]
    if (isInType && names.has(/^\s*\*?(\w+)\.\p{Lu}\w*\s*(?:`.*)?$/u.exec(line)?.[1] ?? "")) return true
    isInType = declared.test(line) || (isInType && !/^\s*\}/.test(line))
    const by = asserted.exec(line)?.[1] ?? passed.exec(line)?.[1] ?? (returned.test(line) ? result : undefined)
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
