import { lastName } from "../../store/fold-name.ts"
import type { SymbolRow } from "../../store/symbols.ts"
import type { Project } from "../open-project.ts"

export type CodeSymbol = {
  readonly name: string
  readonly kind: string
  readonly path: string
  readonly line: number
}

/** More of one name tell nothing. */
const MOST = 20

/** What the project's index knows under a name as code writes it: open, Shop.login, a::b; none without an index. */
export function codeSymbols(project: Project, name: string): CodeSymbol[] {
  const store = project.reader()?.store
  if (store === undefined) return []
  const last = lastName(name)
  const exact = store.symbols.findByName(name, MOST)
  const found =
    exact.length > 0 || last === name
      ? exact
      : store.symbols.findByName(last, MOST).filter(isOwnedBy(ownerOf(name, last)))
  const files = store.files.named(found.map(({ fileId }) => fileId))
  const paths = new Map(files.map(({ id, path }) => [id, path]))
  return found.flatMap(({ fileId, name, kind, startLine }) => {
    const path = paths.get(fileId)
    return path === undefined ? [] : [{ name, kind, path, line: startLine }]
  })
}

/** Shop of Shop.login, a of a::b. */
function ownerOf(name: string, last: string): string {
  return lastName(name.slice(0, name.length - last.length).replace(/[^\p{L}\p{N}_$]+$/u, ""))
}

function isOwnedBy(wanted: string): (row: SymbolRow) => boolean {
  return ({ owner }) => owner !== null && lastName(owner) === wanted
}
