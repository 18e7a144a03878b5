import { AmanError } from "../base/errors.ts"
import type { Definition } from "../graph/definition.ts"
import { findDefinitions } from "../graph/find.ts"
import type { SymbolGraph } from "../graph/symbol-graph.ts"
import type { SymbolRequest } from "./symbol-answer.ts"

/** At least one; those of the same name, where several are. Throws NOT_FOUND, naming who uses it nevertheless. */
export function namedIn(graph: SymbolGraph, { name, path }: SymbolRequest): readonly Definition[] {
  if (!name?.trim())
    throw new AmanError("USAGE", "no symbol named", { hint: "for example: aman symbol parseConfig" })
  const found = findDefinitions(graph, name.trim(), below(path))
  if (found.length > 0) return found
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

/** Whether a path is that file, or below that folder. */
export function below(path: string | undefined): (path: string) => boolean {
  if (path === undefined || path === "" || path === ".") return () => true
  const bare = path.replace(/^\.\//, "").replace(/\/$/, "")
  return (other) => other === bare || other.startsWith(`${bare}/`)
}
