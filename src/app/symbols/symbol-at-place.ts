import { AmanError } from "../../base/errors.ts"
import type { Store } from "../../store/index/store.ts"
import type { SymbolRow } from "../../store/index/symbols.ts"
import { qualifiedName } from "../../symbols/definition.ts"
import { filtersIn, withoutLines } from "../project/project-path.ts"
import type { SymbolRequest } from "./symbol-answer.ts"

/**
 * The request with a name and a path, if its name is a place as answers print it: `src/a.ts:12`, `src/a.ts:12-30` or
 * `src/a.ts#open`. A line stands for the innermost definition around it. Unchanged if the index has no such file.
 */
export function withNameAtPlace(store: Store, root: string, request: SymbolRequest): SymbolRequest {
  const typed = request.name?.trim() ?? ""
  const { path: file, lines } = withoutLines(typed)
  if (lines === null) {
    const [, before, name] = /^(.+\.[^#]*)#([^#]+)$/u.exec(typed) ?? []
    const path = before === undefined ? undefined : filtersIn(root, [before])[0]!
    return path !== undefined && store.files.byPath(path) ? { ...request, name, path } : request
  }
  const path = filtersIn(root, [file])[0]!
  const row = store.files.byPath(path)
  if (row === null) return request
  const symbol = innermostAt(store.symbols.ofFile(row.id), lines.first)
  if (symbol !== null) return { ...request, name: qualifiedName({ symbol }), path }
  throw new AmanError("NOT_FOUND", `no definition contains line ${lines.first} of ${path}`, {
    hint: `to list its symbols: aman symbol --outline ${JSON.stringify(path)}`,
  })
}

/** The definition with the fewest lines that contains the line; null if there is none. */
function innermostAt(symbols: readonly SymbolRow[], line: number): SymbolRow | null {
  const around = symbols.filter(({ startLine, endLine }) => startLine <= line && line <= endLine)
  const linesOf = ({ startLine, endLine }: SymbolRow) => endLine - startLine
  return around.toSorted((one, other) => linesOf(one) - linesOf(other))[0] ?? null
}
