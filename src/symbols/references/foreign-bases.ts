import { isType, type SymbolDefinition } from "../definition.ts"
import type { FileView } from "../file-view.ts"
import type { SymbolGraph } from "../symbol-graph.ts"

/** Library base types that neither call the members of their subtypes nor register the subtypes. */
const PASSIVE_BASES =
  /^(?:object|Object|Any|AnyObject|.*Error|.*Exception|Warning|Throwable|Enum|\w*Enum|IntFlag|Flag|NamedTuple|TypedDict|ABC|Protocol|Generic|Serializable|Cloneable|Sendable|Hashable|Equatable|Codable|Decodable|Encodable|Identifiable|CaseIterable|RawRepresentable|Comparable|Record|dict|list|set|str|int|tuple|String|Int|UInt8|UInt16|UInt32|Parcelable|Struct|Closeable|AutoCloseable|IDisposable|IEquatable)$/

const MAX_LEVELS = 6

/** True for a type that extends a base which the project does not define. */
export function inheritsForeign(
  { file, symbol }: SymbolDefinition,
  type: string,
  graph: SymbolGraph,
  level = 0,
): boolean {
  if (file.family === "rust" || file.family === "go" || (file.family === "js" && isType(symbol))) return false
  for (const base of basesIn(file, type, graph)) {
    // The type and its base have the same name, as in `class Handler extends Framework\Handler`.
    if (base === type) return true
    if (PASSIVE_BASES.test(base)) continue
    const homes = graph.candidatesOf(base).all.filter((each) => isType(each.symbol) && mayExtend(file, each))
    if (homes.length === 0) return true
    if (level < MAX_LEVELS && homes.some((home) => inheritsForeign(home, base, graph, level + 1))) return true
  }
  return false
}

/** The bases of a type that the file names; if it names none, those that any file names, as for parts of a class. */
function basesIn(file: FileView, type: string, graph: SymbolGraph): ReadonlySet<string> {
  const own = file.basesOf(type)
  if (own.size > 0) return own
  const all = new Set(graph.types.lineageOf(type, file))
  all.delete(type)
  return all
}

/** How well an import has to fit a file (0 to 1) that defines the imported type. */
const MIN_IMPORT_FIT = 0.5
/** Languages in which the modules of imports lead to the files that define the names. */
const EXACT_IMPORTS = /^(?:python|java|kotlin|php)$/

/** True if a base named in `file` may be the type that `home` defines, as far as the imports say. */
function mayExtend(file: FileView, home: SymbolDefinition): boolean {
  const { name } = home.symbol
  if (home.file.id === file.id) return true
  if (home.file.family !== file.family) return false
  if (!EXACT_IMPORTS.test(file.language)) return true
  const modules = file.modulesOf(name)
  if (modules.length > 0 && file.family === "jvm") return modules.some((each) => isInPackage(each, home))
  if (modules.length > 0) return file.fit(modules, home.file) >= MIN_IMPORT_FIT
  if (file.family !== "python") return true
  const prefixes = file.inheritingOf(name).flatMap(({ qualifier }) => qualifier ?? [])
  return prefixes.every((prefix) => file.fit(file.modulesNamed(prefix), home.file) >= MIN_IMPORT_FIT)
}

/** True if an import of Java or Kotlin, such as `shop.cart.Cart`, names a type in the package of this definition. */
function isInPackage(imported: string, { symbol, file }: SymbolDefinition): boolean {
  return file.package === null ? imported === symbol.name : imported.startsWith(`${file.package}.`)
}
