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
  /** Share of its file's PageRank that comes from uses of this name; 1 is the whole rank of an average file. */
  readonly centrality: number
}

const MAX_SYMBOLS = 300

/** Functions and types that most of a project depends on, most central first. */
export function centralSymbols(store: Store): CentralSymbol[] {
  const found = centralIn(store, MAX_SYMBOLS).flatMap(({ symbol, path, centrality }) => {
    const { name, kind, signature, startLine: start_line, endLine: end_line } = symbol
    const isListed = (isCallable(symbol) || isType(symbol)) && !isTrivial(symbol)
    return isListed ? [{ name, kind, path, start_line, end_line, signature, centrality }] : []
  })
  const defined = new Set(found.filter((each) => !isPrototype(each)).map(({ name }) => name))
  return found.filter((each) => !isPrototype(each) || !defined.has(each.name))
}

/** True for a function prototype of C: a declaration without a body. */
function isPrototype({ kind, signature }: CentralSymbol): boolean {
  return kind === "function" && /\)[^()]*;$|\)\);$/.test(signature)
}

/** Names that say nothing about a project, however often they are used: memory, checks, logs and tests. */
const SAYS_NOTHING =
  /^(?:main|assert\w*|ASSERT\w*|x?(?:m|c|re)alloc\w*|x?free|str[ln]?c(?:py|at|mp)|strl(?:cpy|cat)|x?asprintf|x?strn?dup|die|fatalx?|fatal_error|panic|log(?:_(?:debug|info|warn|error|trace))?|debug|printf?|min|max|noop|describe|it|test|expect|beforeEach|afterEach|set_?up|tear_?down|(?:setUp|tearDown)\w*|run_?tests?)$/i

/**
 * True for symbols that say nothing about a project: names that are common everywhere, declarations of modules in other
 * files, and constants and switches of the preprocessor.
 */
function isTrivial({ name, signature }: Pick<SymbolRow, "name" | "signature">): boolean {
  return (
    SAYS_NOTHING.test(name) || /^(?:pub(?:\([^)]*\))? )?mod \w+;$|^#\s*define \w+(?!\w|\()/.test(signature)
  )
}
