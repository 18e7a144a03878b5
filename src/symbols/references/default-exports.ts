import {
  DEFAULT_EXPORT,
  importOfDefault,
  importsOfDefault,
  REEXPORTED_DEFAULT,
} from "../../code/references/default-exports.ts"
import { USE, type Use } from "../../code/references/use-code.ts"
import type { SymbolDefinition } from "../definition.ts"
import { type FileView, MIN_FIT } from "../file-view.ts"
import { isDeclaredNear } from "../resolve/scope.ts"
import type { SymbolGraph } from "../symbol-graph.ts"

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
      const uses = file.usesOf(name).filter((use) => refersToBinding(use, file))
      // `export { default as open } from "./shop"` does not use the new name itself.
      const isListed = uses.some((use) => use.line === line)
      return isListed ? uses : [{ name, line, flags: USE.import, qualifier: null }, ...uses]
    }),
  )
}

/** True for a use of the name that the import binds: not a member, and not of a local of the same name. */
function refersToBinding(use: Use, file: FileView): boolean {
  if ((use.flags & USE.import) !== 0) return true
  return (use.flags & (USE.member | USE.declares)) === 0 && !isDeclaredNear(use, file)
}
