import type { Project } from "../../index/index.ts"
import { ROLE } from "../../store/index.ts"
import { TIE } from "../certainty.ts"
import { edgeAt, edgeOf, findDefinitions, storedName } from "../definition.ts"
import { symbolsOfDefinitions } from "../imported-uses.ts"
import { FileTexts, graphIn, referenceAnswer } from "./answer-lines.ts"
import type { ReferenceAnswer } from "./symbol-answer.ts"
import { below } from "./symbol-names.ts"

/** Maximum number of files that are read for one name. */
const MAX_FILES = 200

export type UsesByName = { readonly total: number; readonly places: readonly ReferenceAnswer[] }

/**
 * Uses of a name in a project that does not define it, at most `limit` of them as places. For `Owner.name`, only uses
 * in files that also use the owner's name. Null if there is no index.
 */
export function usesByName(project: Project, name: string, limit: number): UsesByName | null {
  const store = project.reader()?.store
  if (!store) return null
  return store.consistently(() => {
    const graph = graphIn(project, store)
    const [last = "", owner] = name.split(/\.|::|#|->/).reverse()
    const used = storedName(last)
    const owners = owner ? new Set(graph.idsUsing(storedName(owner))) : null
    const ids = graph.idsUsing(used).filter((id) => owners?.has(id) ?? true)
    const files = graph.files(graph.inOrder(ids, []).slice(0, MAX_FILES))
    const uses = files.flatMap((file) => file.usesOf(used).map((use) => ({ use, file })))
    const texts = new FileTexts(project, store)
    return {
      total: uses.length,
      places: uses
        .slice(0, limit)
        .map(({ use, file }) =>
          referenceAnswer(texts, edgeOf(use, file, { tie: TIE.none, target: null }), used),
        ),
    }
  })
}

/** The identity of a symbol across repositories: SCIP's symbol without the version of its package. */
type Moniker = { readonly identity: string; readonly version: string; readonly name: string }

/**
 * The monikers of the definitions of a name in a project, from the SCIP indexes that it has imported. Symbols without a
 * package are left out, because they mean something only inside their own index.
 */
export function monikersOf(project: Project, name: string, path: string | undefined): Moniker[] {
  const store = project.reader()?.store
  const imported = store?.exact() ?? null
  if (store === undefined || imported === null) return []
  return store.consistently(() => {
    const definitions = findDefinitions(graphIn(project, store), name, below(path))
    return symbolsOfDefinitions(store, definitions).flatMap(
      ({ id, name }) => monikerIn(imported.symbolOf(id), name) ?? [],
    )
  })
}

/** The uses of symbols that another repository defines, from the SCIP indexes that this project has imported. */
export function usesOfMonikers(project: Project, monikers: readonly Moniker[]): ReferenceAnswer[] {
  const store = project.reader()?.store
  const imported = store?.exact() ?? null
  if (store === undefined || imported === null) return []
  return store.consistently(() => {
    const graph = graphIn(project, store)
    const texts = new FileTexts(project, store)
    const byIdentity = Map.groupBy(monikers, ({ identity }) => identity)
    const names = [...new Set(monikers.map(({ name }) => name))]
    return names
      .flatMap((name) => imported.symbolsNamed(name).map((each) => ({ ...each, name })))
      .flatMap(({ id, symbol, name }) => {
        const moniker = monikerIn(symbol, name)
        const same = moniker === null ? [] : (byIdentity.get(moniker.identity) ?? [])
        if (moniker === null || same.length === 0) return []
        const isSame = same.some(({ version }) => version === moniker.version)
        const certainty = isSame ? "certain" : "possible"
        return imported.placesOf(id).flatMap(({ path, hash, line, roles }) => {
          const file = (roles & DEFINING) !== 0 ? null : graph.file(path)
          if (file === null || store.files.byPath(path)?.hash !== hash) return []
          const kind = (roles & ROLE.import) !== 0 ? "import" : "mention"
          return [referenceAnswer(texts, edgeAt(file, line, { kind, certainty, target: null, name }))]
        })
      })
  })
}

const DEFINING = ROLE.definition | ROLE.forwardDefinition

/** Scheme, package manager, package and version, then the descriptors; a space in a part is written twice. */
const SYMBOL = /^((?:[^ ]| {2})+) ((?:[^ ]| {2})+) ((?:[^ ]| {2})+) ((?:[^ ]| {2})+) (.+)$/

function monikerIn(symbol: string, name: string): Moniker | null {
  const [, scheme, manager, packageName, version, descriptors] = SYMBOL.exec(symbol) ?? []
  if (version === undefined || packageName === ".") return null
  return { identity: [scheme, manager, packageName, descriptors].join(" "), version, name }
}
