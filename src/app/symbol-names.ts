import { AmanError } from "../base/errors.ts"
import type { Definition } from "../graph/definition.ts"
import { findDefinitions, type Ranked } from "../graph/find.ts"
import type { SymbolGraph } from "../graph/symbol-graph.ts"
import type { SymbolRequest } from "./symbol-answer.ts"

/** At least one; those of the same name, where several are. Throws NOT_FOUND, naming who uses it nevertheless. */
export function namedIn(graph: SymbolGraph, { name, path }: SymbolRequest): readonly Definition[] {
  if (!name?.trim())
    throw new AmanError("USAGE", "no symbol named", { hint: "for example: aman symbol parseConfig" })
  const found = findDefinitions(graph, name.trim(), below(path))
  if (found.length > 0) return found.length === 1 ? found : centralFirst(graph, found)
  const last = name.trim().replace(/^.*(?:\.|::|#|->)(?=.)/, "")
  const users = graph.idsUsing(last)
  const some = graph.files(graph.inOrder(users, []).slice(0, 3))
  const where = some.map((file) => file.path).join(", ")
  throw new AmanError("NOT_FOUND", `nothing here defines ${JSON.stringify(name)}`, {
    hint:
      users.length === 0
        ? "look for it by: aman search"
        : `${users.length} ${users.length === 1 ? "file uses" : "files use"} that name (${where}${users.length > 3 ? ", …" : ""}): it comes from elsewhere`,
  })
}

/** In the order that they have, those of the more central files first among equals. */
function centralFirst(graph: SymbolGraph, found: readonly Ranked[]): Definition[] {
  const ranks = graph.store.centrality.of([...new Set(found.map(({ file }) => file.id))])
  const rankOf = ({ file }: Definition) => ranks.get(file.id) ?? Number.NEGATIVE_INFINITY
  return found.toSorted((one, other) => one.class - other.class || rankOf(other) - rankOf(one))
}

/** Of more definitions of one name only these are followed: each costs as much as the first. */
const MOST_FOLLOWED = 20

/** Those that a relation is asked of: what is central first. */
export function followedIn(
  graph: SymbolGraph,
  request: SymbolRequest,
): { readonly definitions: readonly Definition[]; readonly notices: readonly string[] } {
  const all = namedIn(graph, request)
  if (all.length <= MOST_FOLLOWED) return { definitions: all, notices: [] }
  const name = JSON.stringify(request.name)
  return {
    definitions: all.slice(0, MOST_FOLLOWED),
    notices: [
      `${all.length} are called ${name}; followed are the ${MOST_FOLLOWED} most central: name one as Owner.name, or by its path`,
    ],
  }
}

/** Whether a path is that file, or below that folder. */
export function below(path: string | undefined): (path: string) => boolean {
  if (path === undefined || path === "" || path === ".") return () => true
  const bare = path.replace(/^\.\//, "").replace(/\/$/, "")
  return (other) => other === bare || other.startsWith(`${bare}/`)
}
