import type { Store } from "../../store/index/store.ts"
import type { SymbolRow } from "../../store/index/symbols.ts"
import { isCallable, isType } from "../../symbols/definition.ts"
import { centralIn } from "../symbols/central-project.ts"

export type CentralSymbol = {
  readonly name: string
  readonly kind: string
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly signature: string
  /** PageRank that its file has by this name; 1 is all of an average file. */
  readonly centrality: number
}

const MOST = 300

/** Functions and types that most of a project turns about, most central first. */
export function centralSymbols(store: Store): CentralSymbol[] {
  const found = centralIn(store, MOST).flatMap(({ symbol, path, centrality }) => {
    const { name, kind, signature, startLine: start_line, endLine: end_line } = symbol
    const isTold = (isCallable(symbol) || isType(symbol)) && !isNothingOfItsOwn(symbol)
    return isTold ? [{ name, kind, path, start_line, end_line, signature, centrality }] : []
  })
  const defined = new Set(found.filter((each) => !isPrototype(each)).map(({ name }) => name))
  return found.filter((each) => !isPrototype(each) || !defined.has(each.name))
}

/** What C says of a function beforehand. */
function isPrototype({ kind, signature }: CentralSymbol): boolean {
  return kind === "function" && /\)[^()]*;$|\)\);$/.test(signature)
}

/** What begins a program, names a module that lies elsewhere, or is a number or switch of the preprocessor. */
function isNothingOfItsOwn({ name, signature }: Pick<SymbolRow, "name" | "signature">): boolean {
  return name === "main" || /^(?:pub(?:\([^)]*\))? )?mod \w+;$|^#\s*define \w+(?!\w|\()/.test(signature)
}
