import { namespacesOf } from "../../code/references/renamed-exports.ts"
import { USE, type Use } from "../../code/references/use-code.ts"
import type { SymbolDefinition } from "../definition.ts"
import { type FileView, MIN_FIT } from "../file-view.ts"
import type { SymbolGraph } from "../symbol-graph.ts"

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
