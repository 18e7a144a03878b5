import {
  type ImportBinding,
  importsOfDefault,
  OWN_MODULE,
  originalOf,
  renamedExport,
  USE,
  type Use,
  WHOLE,
} from "../parse/index.ts"
import { definitionKey, type SymbolDefinition, storedName } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import type { Lead } from "./imports.ts"
import { isDeclaredNear } from "./meanings.ts"
import type { SymbolGraph } from "./symbol-graph.ts"
import { hasWholeNames } from "./whole-names.ts"

/** The names beside its own under which files export or import a definition. */
export type OtherNames = {
  readonly target: SymbolDefinition
  readonly names: readonly string[]
  /** The files that export the definition as their default. */
  readonly homes: readonly FileView[]
  /** Ids of the files that may use the definition under one of the names. */
  readonly users: readonly number[]
}

/** Max number of names of one definition, each counted once per file that gives it. */
const MAX_NAMES = 40
const DEFAULT = "default"

/** The other names of the targets. A name that a file gives may be changed again by another file. */
export function otherNamesAmong(
  graph: SymbolGraph,
  targets: readonly SymbolDefinition[],
): readonly OtherNames[] {
  return targets
    .filter(({ symbol, file }) => (symbol.owner === null || file.family === "ruby") && symbol.local === 0)
    .flatMap((target) => otherNamesOf(target, graph) ?? [])
}

function otherNamesOf(target: SymbolDefinition, graph: SymbolGraph): OtherNames | null {
  const known: GivenName[] = [{ name: storedName(target.symbol.name), home: target.file }]
  if (isDefaultExport(target, graph)) known.push({ name: DEFAULT, home: target.file })
  const isNew = ({ name, home }: GivenName) =>
    !known.some((each) => each.name === name && each.home.id === home.id)
  for (let at = 0; at < known.length && known.length < MAX_NAMES; at++)
    known.push(...namesAfter(known[at]!, target, graph).filter(isNew))
  const homes = known.flatMap(({ name, home }) => (name === DEFAULT ? [home] : []))
  const names = [...new Set(known.map(({ name }) => name))].filter(
    (name) => name !== DEFAULT && name !== storedName(target.symbol.name),
  )
  const used = [...names, ...homes.flatMap(({ path }) => importsOfDefault(path))]
  if (used.length === 0) return null
  return { target, names, homes, users: [...new Set(used.flatMap((name) => graph.idsUsing(name)))] }
}

/** A name that a file gives to a definition. */
type GivenName = { readonly name: string; readonly home: FileView }

/** True when the file of a definition exports it as its default; components always are. */
export function isDefaultExport({ symbol, file }: SymbolDefinition, { imports }: SymbolGraph): boolean {
  if (file.family !== "js" || symbol.owner !== null || symbol.local !== 0) return false
  if (symbol.kind === "component") return true
  const isIt = ({ module, name, as }: ImportBinding) =>
    module === OWN_MODULE && as === DEFAULT && name === symbol.name
  return imports.bindingsIn(file).some(isIt)
}

/** The names that files give to a definition that they import, or export, under a given name. */
function namesAfter({ name, home }: GivenName, target: SymbolDefinition, graph: SymbolGraph): GivenName[] {
  const markers = name === DEFAULT ? importsOfDefault(home.path) : [renamedExport(name)]
  return markers
    .flatMap((marker) => graph.filesUsing(marker))
    .flatMap((file) =>
      graph.imports
        .bindingsIn(file)
        .filter(({ name: own, as }) =>
          name === DEFAULT ? BY_DEFAULT.has(own) : as !== name && isNamed(own, name),
        )
        .filter(({ as, module, isExported, line }) =>
          meansTarget(
            (module === OWN_MODULE || isExported) && !hasWholeNames(file.family)
              ? graph.imports.exportedBy(file, as)
              : graph.imports.leadsTo(as, file, line),
            target,
            graph,
          ),
        )
        .map(({ as }) => ({ name: as, home: file })),
    )
}

/** What an import takes that may be a default: in CommonJS, `module.exports = Shop` makes the whole module the class. */
const BY_DEFAULT: ReadonlySet<string> = new Set([DEFAULT, WHOLE])

/** True when an import takes a name: in Rust, at the end of a path. */
function isNamed(own: string, name: string): boolean {
  return own === name || own.endsWith(`::${name}`)
}

function meansTarget(lead: Lead | null, target: SymbolDefinition, graph: SymbolGraph, depth = 0): boolean {
  const { symbol, file } = target
  return (
    lead?.kind === "definitions" &&
    lead.rest.length === 0 &&
    lead.definitions.some(
      (each) =>
        (each.file.id === file.id &&
          each.symbol.name === symbol.name &&
          each.symbol.startLine === symbol.startLine) ||
        (depth < MAX_ALIASES && meansTarget(graph.imports.originalOf(each), target, graph, depth + 1)),
    )
  )
}

/** Max number of constants that are names of each other, one behind the other. */
const MAX_ALIASES = 4

/** The uses of a target in a file under its other names, and imports of a default that give it no name. */
export function usesOfOtherNames(
  { target, names, homes }: OtherNames,
  file: FileView,
  graph: SymbolGraph,
): readonly Use[] {
  if (file.family !== target.file.family) return []
  const named = names.flatMap((name) =>
    file.usesOf(name).filter((use) => {
      const isMember = (use.flags & USE.member) !== 0
      if ((use.flags & USE.import) === 0 && ((use.flags & USE.declares) !== 0 || isDeclaredNear(use)))
        return false
      const path = isMember ? `${use.path ?? use.qualifier}.${name}` : name
      return (
        meansTarget(graph.imports.leadsTo(path, file, use.line), target, graph) ||
        ((use.flags & USE.import) !== 0 && meansTarget(graph.imports.exportedBy(file, name), target, graph))
      )
    }),
  )
  return [...named, ...namelessImports({ target, homes }, file, graph)]
}

/** True for a target after a dot, in a file that imports what is before the dot. */
export function isMemberOfModule(
  target: SymbolDefinition,
  { name, flags, path, qualifier, line }: Use,
  file: FileView,
  graph: SymbolGraph,
): boolean {
  if ((flags & USE.member) === 0 || qualifier === null || target.symbol.owner !== null) return false
  const lead = graph.imports.leadsTo(`${(path ?? qualifier).replace(/^:/, "")}.${name}`, file, line)
  return meansTarget(lead, target, graph)
}

/** The imports of a default that bind no name: `lazy(() => import("./Page"))`, `export { default } from "./Page"`. */
function namelessImports(
  { target, homes }: Pick<OtherNames, "target" | "homes">,
  file: FileView,
  { imports }: SymbolGraph,
): Use[] {
  const { name: own } = target.symbol
  return homes.flatMap((home) =>
    importsOfDefault(home.path)
      .flatMap((marker) => file.usesOf(marker))
      .flatMap(({ qualifier, line }): Use[] => {
        const [, module = "", name = ""] = /^(.*) (.*)$/.exec(qualifier ?? "") ?? []
        const isNameless = name === "" || name === DEFAULT
        const isMeant = isNameless && imports.filesOf(module, file).includes(home)
        return isMeant ? [{ name: own, line, flags: USE.import, qualifier: null }] : []
      }),
  )
}

/** The definitions that files export, or import, under a name that is not their own: `export { A as B }`. */
export function definitionsExportedAs(
  name: string,
  graph: SymbolGraph,
): readonly (SymbolDefinition & { readonly home: FileView })[] {
  const found = graph.filesUsing(originalOf(name)).flatMap((home) => {
    const lead = graph.imports.exportedBy(home, name) ?? graph.imports.leadsTo(name, home)
    if (lead?.kind !== "definitions" || lead.rest.length > 0) return []
    return lead.definitions.map((each) => ({ ...each, home }))
  })
  return [...new Map(found.toReversed().map((each) => [definitionKey(each), each])).values()]
}

/** A name that a file knows, and the file from whose point of view it is meant. */
export type Original = { readonly name: string; readonly file: FileView }

/** What a name of a file is called where it is defined, if files of the project export it under another name. */
export function originalsOf(name: string, file: FileView, graph: SymbolGraph): readonly Original[] {
  const lead = graph.imports.leadsTo(name, file)
  if (lead?.kind !== "definitions" || lead.rest.length > 0) return []
  const [{ symbol, file: home }] = lead.definitions as [SymbolDefinition]
  return symbol.name === name ? [] : [{ name: symbol.name, file: home }]
}
