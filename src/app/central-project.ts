import { BESIDE, FILE_FLAG } from "../base/file-flag.ts"
import { COMMON_MEMBERS } from "../code/common-members.ts"
import { useHash } from "../code/use-code.ts"
import { isCallable, isType } from "../graph/kinds.ts"
import type { Store } from "../store/store.ts"
import type { SymbolRow } from "../store/symbols.ts"

export type CentralSymbol = {
  readonly symbol: SymbolRow
  readonly path: string
  /**
   * PageRank over files that use each other's names, the part of its file's that comes by this one; 1 is an average
   * file.
   */
  readonly centrality: number
}

/** With fewer types and functions that are its own than these, a project is told by what else is used of it. */
const ENOUGH = 20

/**
 * What a project turns about, most central first, at most so many. Ranks go by names alone, so what most likely owes
 * its own to another thing of that name is left out where there is enough besides.
 */
export function centralIn(store: Store, limit: number): CentralSymbol[] {
  const definitions = definitionsIn(store)
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
  const more = others.slice(0, Math.max(0, Math.min(limit, ENOUGH) - own.length))
  return [...own, ...more].sort((one, other) => other.centrality - one.centrality)
}

const OUTSIDE = BESIDE & ~FILE_FLAG.scripts

/**
 * A function or type whose name, where others use it, is hardly anything else: no method, which any object may have,
 * nor what only its type names; no word that all libraries use; no package, as a function is often called; no
 * compiler's name.
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

/** From the scale of the index to shares of the average, with two digits. */
export function centralityOf(rank: number): number {
  return Number((2 ** (rank / 16)).toPrecision(2))
}

/**
 * A file's definitions by the hashes of their names, the first of each; files are read once, as what is central has
 * many.
 */
function definitionsIn(store: Store): (fileId: number) => ReadonlyMap<number, SymbolRow> {
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
