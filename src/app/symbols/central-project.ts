import { FILE_FLAG, NOT_MAIN_FLAGS } from "../../base/files/file-flag.ts"
import { COMMON_MEMBERS } from "../../code/references/reserved-words.ts"
import { useHash } from "../../code/references/use-code.ts"
import type { Store } from "../../store/index/store.ts"
import type { SymbolRow } from "../../store/index/symbols.ts"
import { isCallable, isType } from "../../symbols/definition.ts"

export type CentralSymbol = {
  readonly symbol: SymbolRow
  readonly path: string
  /**
   * Share of its file's PageRank (over files that use each other's names) that comes from uses of this name; 1
   * is the whole rank of an average file.
   */
  readonly centrality: number
}

/** If fewer symbols than this have a name that means only them, symbols with other names fill the list up to it. */
const MIN_SYMBOLS = 20

/**
 * The most central symbols, best first, at most `limit`. Ranks are computed from names alone, so symbols that
 * probably owe their rank to a namesake are left out if there are enough others.
 */
export function centralIn(store: Store, limit: number): CentralSymbol[] {
  const definitions = definitionsByNameHash(store)
  const own: CentralSymbol[] = []
  const others: CentralSymbol[] = []
  for (const { fileId, hash, path, flags, rank } of store.centrality.names(limit * 4 + 100)) {
    const symbols = definitions(fileId)
    const symbol = symbols.get(hash)
    if (symbol === undefined) continue
    const isOwn = (flags & OUTSIDE) === 0 && isNamedForItself(symbol, path, symbols)
    const list = isOwn ? own : others
    list.push({ symbol, path, centrality: centralityOf(rank) })
    if (own.length === limit) break
  }
  const more = others.slice(0, Math.max(0, Math.min(limit, MIN_SYMBOLS) - own.length))
  return [...own, ...more].sort((one, other) => other.centrality - one.centrality)
}

const OUTSIDE = NOT_MAIN_FLAGS & ~FILE_FLAG.scripts

/**
 * True for a function or type whose name rarely means anything else elsewhere: no method, no nested type, no
 * word common in libraries, no function named like its folder, no name that begins with "__" as those reserved
 * for compilers do.
 */
function isNamedForItself(symbol: SymbolRow, path: string, symbols: ReadonlyMap<number, SymbolRow>): boolean {
  const { name, kind, owner } = symbol
  if (name.startsWith("__") || COMMON_MEMBERS.has(name)) return false
  if (isType(symbol)) {
    const holder = owner === null ? undefined : symbols.get(useHash(owner.split(/[.:]+/).at(-1)!))
    return holder === undefined || holder.kind === "module" || !isType(holder)
  }
  return isCallable(symbol) && kind !== "method" && !path.split("/").slice(0, -1).includes(name)
}

/** Converts the index's logarithmic rank to multiples of the average, with two digits. */
export function centralityOf(rank: number): number {
  return Number((2 ** (rank / 16)).toPrecision(2))
}

/**
 * A file's definitions by the hash of their name, the first of each. Cached, because central files have many.
 */
function definitionsByNameHash(store: Store): (fileId: number) => ReadonlyMap<number, SymbolRow> {
  const known = new Map<number, ReadonlyMap<number, SymbolRow>>()
  return (fileId) => {
    let ofFile = known.get(fileId)
    if (ofFile === undefined) {
      const last = store.symbols.ofFile(fileId).reverse()
      ofFile = new Map(last.map((symbol) => [useHash(symbol.name), symbol]))
      known.set(fileId, ofFile)
    }
    return ofFile
  }
}
