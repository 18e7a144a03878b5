import {
  DEFAULT_EXPORT,
  importOfDefault,
  importsOfDefault,
  namespacesOf,
  OWN_MODULE,
  originalOf,
  REEXPORTED_DEFAULT,
  renamedExport,
  USE,
  type Use,
} from "../parse/index.ts"
import type { SymbolDefinition } from "./definition.ts"
import { type FileView, MIN_FIT } from "./file-view.ts"
import { bestImportFit, isDeclaredNear } from "./meanings.ts"
import { isRelative } from "./modules.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

/** A definition that its file exports as the default. */
export type DefaultExport = {
  readonly target: SymbolDefinition
  /** The file itself, and files that export its default again. */
  readonly homes: readonly FileView[]
  /** Ids of the files that may import the default. */
  readonly users: readonly number[]
  /** Confidence that a name bound to the default means the target. */
  readonly confidence: number
}

const CONFIDENCE = 0.9
/** Max number of files that export a default again. */
const MAX_HOMES = 8

/** The targets that their files export as defaults. */
export function defaultExportsAmong(
  graph: SymbolGraph,
  targets: readonly SymbolDefinition[],
): readonly DefaultExport[] {
  return targets.flatMap((target) => {
    if (!isDefaultExport(target)) return []
    const homes = [target.file]
    const users = new Set<number>()
    for (let at = 0; at < homes.length; at++) {
      const home = homes[at]!
      for (const name of importsOfDefault(home.path)) {
        const ids = graph.idsUsing(name)
        for (const id of ids) users.add(id)
        if (homes.length < MAX_HOMES) homes.push(...reexporting(graph.files(ids), home, homes))
      }
    }
    return [{ target, homes: homes.slice(0, MAX_HOMES), users: [...users], confidence: CONFIDENCE }]
  })
}

/** True when the file of a definition exports it as its default; components always are. */
export function isDefaultExport({ symbol, file }: SymbolDefinition): boolean {
  if (file.family !== "js" || symbol.owner !== null || symbol.local !== 0) return false
  if (symbol.kind === "component") return true
  return file.usesOf(DEFAULT_EXPORT).some(({ qualifier }) => qualifier === symbol.name)
}

/** The files among `files` that export the default of `home` as their own default. */
function reexporting(files: readonly FileView[], home: FileView, known: readonly FileView[]): FileView[] {
  return files.filter(
    (file) =>
      !known.some(({ id }) => id === file.id) &&
      importsOf(home, file).some(({ name }) => name === REEXPORTED_DEFAULT),
  )
}

type DefaultImport = { readonly name: string; readonly line: number }

/** The names that `file` binds to the default of `home`; "" for an import that binds none. */
function importsOf(home: FileView, file: FileView): DefaultImport[] {
  if (file.family !== "js" || file.id === home.id) return []
  return importsOfDefault(home.path).flatMap((marker) =>
    file.usesOf(marker).flatMap(({ qualifier, line }) => {
      const end = qualifier?.lastIndexOf(" ") ?? -1
      if (end < 0) return []
      const module = qualifier!.slice(0, end)
      return importOfDefault(module) === marker && file.fit([module], home) >= MIN_FIT
        ? [{ name: qualifier!.slice(end + 1), line }]
        : []
    }),
  )
}

/** The uses of a default export in a file that binds another name to it, or imports it without a name. */
export function usesOfDefault({ target, homes }: DefaultExport, file: FileView): readonly Use[] {
  return homes.flatMap((home) =>
    importsOf(home, file).flatMap(({ name, line }) => {
      if (name === target.symbol.name) return []
      if (name === "" || name === REEXPORTED_DEFAULT)
        return [{ name: target.symbol.name, line, flags: USE.import, qualifier: null }]
      const uses = file.usesOf(name).filter((use) => refersToBinding(use))
      // `export { default as open } from "./shop"` does not use the new name itself.
      const isListed = uses.some((use) => use.line === line)
      return isListed ? uses : [{ name, line, flags: USE.import, qualifier: null }, ...uses]
    }),
  )
}

/** True for a use of the name that the import binds: not a member, and not of a local of the same name. */
function refersToBinding(use: Use): boolean {
  if ((use.flags & USE.import) !== 0) return true
  return (use.flags & (USE.member | USE.declares)) === 0 && !isDeclaredNear(use)
}

/** A definition that the file `home` exports as a member of a namespace: `export * as name from "./file"`. */
export type NamespaceExport = {
  readonly target: SymbolDefinition
  readonly name: string
  readonly home: FileView
}

/** The namespaces under which files export the targets. */
export function namespaceExportsAmong(
  graph: SymbolGraph,
  targets: readonly SymbolDefinition[],
): readonly NamespaceExport[] {
  return targets.flatMap((target) => {
    const { symbol, file } = target
    if (file.family !== "js" || symbol.owner !== null || symbol.local !== 0) return []
    return namespacesOf(file.path).flatMap((marker) =>
      graph.filesUsing(marker).flatMap((home) =>
        home.usesOf(marker).flatMap(({ qualifier }) => {
          const [module = "", name = ""] = qualifier?.split(" ") ?? []
          return name !== "" && home.fit([module], file) >= MIN_FIT ? [{ target, name, home }] : []
        }),
      ),
    )
  })
}

/** True for a member of the namespace, in a file that imports it from the file that exports it. */
export function isMemberOf({ name, home }: NamespaceExport, use: Use, file: FileView): boolean {
  if ((use.flags & USE.member) === 0) return false
  // The path of what `new` makes begins with a colon.
  const [root = "", ...members] = (use.path ?? use.qualifier ?? "").replace(/^:/, "").split(".")
  return (members.at(-1) ?? root) === name && file.fit(file.modulesOf(root), home) >= MIN_FIT
}

/** A definition that the file `home` exports under another name. */
export type RenamedExport = {
  readonly target: SymbolDefinition
  readonly name: string
  readonly home: FileView
  /** Ids of the files that use the other name. */
  readonly users: readonly number[]
}

/** What the renaming search needs of the graph. */
type Names = Pick<SymbolGraph, "definitionsOf" | "file" | "filesUsing" | "idsUsing">

/** Confidence that the other name, imported from the file that gives it, means the target. */
export const RENAMED_CONFIDENCE = 0.85
/** Max number of other names of one definition. */
const MAX_NAMES = 20

/**
 * The other names under which files export the targets. A name that a file gives may be renamed again by another file.
 * `defaults`: those of the targets that are the default export of their file.
 */
export function renamedExportsAmong(
  graph: SymbolGraph,
  targets: readonly SymbolDefinition[],
  defaults: readonly DefaultExport[],
): readonly RenamedExport[] {
  return targets.flatMap((target) => {
    if (target.symbol.owner !== null || target.symbol.local !== 0) return []
    const own = { name: target.symbol.name, home: target.file }
    const known: ExportedName[] = [own, ...namedDefaults(graph, target, defaults)]
    for (let at = 0; at < known.length && known.length < MAX_NAMES; at++)
      known.push(...renamingsOf(graph, known[at]!).filter((each) => !known.some((one) => isSame(one, each))))
    return known
      .slice(1, MAX_NAMES)
      .map(({ home, name }) => ({ target, name, home, users: graph.idsUsing(name) }))
  })
}

/** A name under which a file exports a definition. */
type ExportedName = { readonly name: string; readonly home: FileView }

function isSame(one: ExportedName, other: ExportedName): boolean {
  return one.name === other.name && one.home.id === other.home.id
}

function renamingsOf(graph: Names, { name, home }: ExportedName): ExportedName[] {
  const marker = renamedExport(name)
  return graph.filesUsing(marker).flatMap((file) =>
    file.usesOf(marker).flatMap(({ qualifier }) => {
      const [module = "", as = ""] = qualifier?.split(" ") ?? []
      return as !== "" && leadsTo(file, module, { name, home }, graph) ? [{ home: file, name: as }] : []
    }),
  )
}

/** The names of `export { default as Card } from "./card"`. */
function namedDefaults(
  graph: SymbolGraph,
  target: SymbolDefinition,
  defaults: readonly DefaultExport[],
): ExportedName[] {
  const found = defaults.find((each) => each.target === target)
  if (found === undefined) return []
  const marker = renamedExport("default")
  return graph.files(found.users).flatMap((file) =>
    file.usesOf(marker).flatMap(({ qualifier }) => {
      const [module = "", as = ""] = qualifier?.split(" ") ?? []
      const isOne = as !== "" && found.homes.some((home) => file.fit([module], home) >= MIN_FIT)
      return isOne && as !== target.symbol.name ? [{ home: file, name: as }] : []
    }),
  )
}

function leadsTo(file: FileView, module: string, exported: ExportedName, graph: Names): boolean {
  const { home } = exported
  if (file.family !== home.family) return false
  return module === OWN_MODULE && file.family === "js"
    ? file.id === home.id
    : reaches(file, [module], exported, graph)
}

/**
 * True if the modules, as imported by `file`, lead to the file that exports a name, or to another file of the project
 * that may export the same name again.
 */
function reaches(
  file: FileView,
  modules: readonly string[],
  { name, home }: ExportedName,
  graph: Names,
): boolean {
  if (file.fit(modules, home) >= MIN_FIT) return true
  const isOfProject = modules.some((module) => leadsIntoProject(file, module, graph))
  return (
    isOfProject &&
    !graph
      .definitionsOf(name)
      .some(({ file: other }) => isOfFamily(other, file) && file.fit(modules, other) >= MIN_FIT) &&
    graph.filesUsing(originalOf(name)).every((other) => other.id === home.id || !isOfFamily(other, file))
  )
}

/** True if an import leads to a file of the project, or to a module of the same Rust crate. */
function leadsIntoProject(file: FileView, module: string, graph: Names): boolean {
  const query = file.importQuery(module)
  if ("targets" in query) return true
  if (!("target" in query)) return isRelative(module)
  const bare = query.target.replace(SCRIPT, "")
  return [query.target, ...ENDINGS.map((ending) => bare + ending)].some((path) => graph.file(path) !== null)
}

const SCRIPT = /\.[cm]?[jt]sx?$/
const ENDINGS = [".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".py"].flatMap((ending) => [
  ending,
  `${ending === ".py" ? "/__init__" : "/index"}${ending}`,
])

function isOfFamily({ family }: FileView, other: FileView): boolean {
  return family === other.family
}

/** The uses of the other name in a file that imports it from the file that gives it. */
export function usesOfRenamed(
  { name, home }: RenamedExport,
  file: FileView,
  graph: SymbolGraph,
): readonly Use[] {
  if (file.id === home.id || file.family !== home.family) return []
  const exported = { name, home }
  const modules = file.modulesOf(name)
  const isImported =
    modules.length > 0 ? reaches(file, modules, exported, graph) : isVisible(file, exported, graph)
  return file.usesOf(name).filter((use) => {
    if ((use.flags & USE.import) !== 0) return reaches(file, [use.qualifier ?? ""], exported, graph)
    if ((use.flags & USE.member) === 0)
      return isImported && (use.flags & USE.declares) === 0 && !isDeclaredNear(use)
    const named = use.qualifier === null ? [] : file.modulesNamed(use.qualifier)
    return named.length > 0 && reaches(file, named, exported, graph)
  })
}

/**
 * True if a file sees a name without importing it by name: by an import of everything, as in Python's `from shop import
 * *` and Rust's `use crate::prelude::*`, or by its path, as in `crate::start()`. The project must define no such name.
 */
function isVisible(file: FileView, { name, home }: ExportedName, graph: Names): boolean {
  if (file.family === "js" || graph.definitionsOf(name).some((each) => isOfFamily(each.file, file)))
    return false
  return file.family === "rust" || bestImportFit(file, home) >= MIN_FIT
}

/** A name that a file knows, and the file from whose point of view it is meant. */
export type Original = { readonly name: string; readonly file: FileView }

const MAX_RENAMINGS = 4

/**
 * The names of definitions for which a name in a file stands, because files of the project export these definitions
 * under that name.
 */
export function originalsOf(name: string, file: FileView, graph: Names, depth = 0): readonly Original[] {
  const marker = originalOf(name)
  if (depth > MAX_RENAMINGS || graph.idsUsing(marker).length === 0) return NONE
  const modules = file.modulesOf(name)
  return graph.filesUsing(marker).flatMap((home) => {
    if (home.family !== file.family || home.id === file.id) return []
    const exported = { name, home }
    const isSeen =
      modules.length > 0 ? reaches(file, modules, exported, graph) : isVisible(file, exported, graph)
    if (!isSeen) return []
    return home.usesOf(marker).flatMap(({ qualifier }) => {
      const original = qualifier?.split(" ")[1]
      if (original === undefined) return []
      return [{ name: original, file: home }, ...originalsOf(original, home, graph, depth + 1)]
    })
  })
}

const NONE: readonly Original[] = []
