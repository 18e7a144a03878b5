import { useHash } from "../code/use-code.ts"
import type { Store } from "../store/store.ts"
import type { SymbolRow } from "../store/symbols.ts"

export type CentralSymbol = {
  readonly symbol: SymbolRow
  readonly path: string
  /** PageRank over files that use each other's names, the part of its file's that comes by this one; 1 is an average file. */
  readonly centrality: number
}

/** What a project turns about, most central first, at most so many. */
export function centralIn(store: Store, limit: number): CentralSymbol[] {
  const definitions = definitionsIn(store)
  const symbols: CentralSymbol[] = []
  for (const { fileId, hash, path, rank } of store.centrality.names(limit * 4 + 100)) {
    const symbol = definitions(fileId, hash)
    if (symbol !== undefined) symbols.push({ symbol, path, centrality: centralityOf(rank) })
    if (symbols.length === limit) break
  }
  return symbols
}

/** From the scale of the index to shares of the average, with two digits. */
export function centralityOf(rank: number): number {
  return Number((2 ** (rank / 16)).toPrecision(2))
}

/** The first of a file's definitions whose name has that hash; files are read once, as what is central has many. */
function definitionsIn(store: Store): (fileId: number, hash: number) => SymbolRow | undefined {
  const known = new Map<number, ReadonlyMap<number, SymbolRow>>()
  return (fileId, hash) => {
    let ofFile = known.get(fileId)
    if (ofFile === undefined) {
      const last = store.symbols.ofFile(fileId).reverse()
      ofFile = new Map(last.map((symbol) => [useHash(symbol.name), symbol]))
      known.set(fileId, ofFile)
    }
    return ofFile.get(hash)
  }
}
