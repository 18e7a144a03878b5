import { OWN_MODULE, renamedExport } from "../../code/references/renamed-exports.ts"
import { USE, type Use } from "../../code/references/use-code.ts"
import type { SymbolDefinition } from "../definition.ts"
import type { FileView } from "../file-view.ts"
import { isDeclaredNear } from "../resolve/scope.ts"
import type { SymbolGraph } from "../symbol-graph.ts"

/** A definition that the file `home` exports under another name. */
export type RenamedExport = {
  readonly target: SymbolDefinition
  readonly name: string
  readonly home: FileView
  /** Ids of the files that use the other name. */
  readonly users: readonly number[]
}

/** Confidence that the other name, imported from the file that gives it, means the target. */
export const RENAMED_CONFIDENCE = 0.85
/** From this fit on an import leads to a file. */
const MIN_FIT = 0.9
/** Max number of other names of one definition. */
const MAX_NAMES = 20

/** The other names under which files export the targets. */
export function renamedExportsAmong(
  graph: SymbolGraph,
  targets: readonly SymbolDefinition[],
): readonly RenamedExport[] {
  return targets.flatMap((target) => {
    if (target.symbol.owner !== null || target.symbol.local !== 0) return []
    const marker = renamedExport(target.symbol.name)
    const named = graph.filesUsing(marker).flatMap((home) =>
      home.usesOf(marker).flatMap(({ qualifier }) => {
        const [module = "", name = ""] = qualifier?.split(" ") ?? []
        return name !== "" && leadsTo(home, module, target) ? [{ home, name }] : []
      }),
    )
    return named
      .slice(0, MAX_NAMES)
      .map(({ home, name }) => ({ target, name, home, users: graph.idsUsing(name) }))
  })
}

function leadsTo(home: FileView, module: string, { file }: SymbolDefinition): boolean {
  if (home.family !== file.family) return false
  return module === OWN_MODULE && home.family === "js"
    ? home.id === file.id
    : home.fit([module], file) >= MIN_FIT
}

/** The uses of the other name in a file that imports it from the file that gives it. */
export function usesOfRenamed({ name, home }: RenamedExport, file: FileView): readonly Use[] {
  if (file.id === home.id || file.family !== home.family) return []
  const isImported = file.importFit(name, home) >= MIN_FIT
  return file.usesOf(name).filter((use) => {
    if ((use.flags & USE.import) !== 0) return isImported && file.fit([use.qualifier ?? ""], home) >= MIN_FIT
    if ((use.flags & USE.member) === 0)
      return isImported && (use.flags & USE.declares) === 0 && !isDeclaredNear(use, file)
    const modules = use.qualifier === null ? [] : file.modulesNamed(use.qualifier)
    return modules.length > 0 && file.fit(modules, home) >= MIN_FIT
  })
}
