import { FILE_FLAG } from "../base/file-flag.ts"
import { useHash } from "../code/use-code.ts"
import type { Store } from "../store/store.ts"
import type { SymbolRow } from "../store/symbols.ts"

/** What a project turns about: PageRank over files that use each other's names; 1 is the average file. */
export type Central = {
  readonly files: readonly CentralFile[]
  readonly symbols: readonly CentralSymbol[]
}

export type CentralFile = { readonly path: string; readonly centrality: number }

/** `centrality` is the part of its file's that comes by this name. */
export type CentralSymbol = CentralFile & { readonly symbol: SymbolRow }

/** Most central first, at most so many of each; files beside the project proper, such as tests, are none. */
export function centralIn(store: Store, limit: number): Central {
  const wanted = limit * 4 + 100
  const files = store.centrality
    .files(wanted)
    .filter(({ flags }) => (flags & BESIDE) === 0)
    .slice(0, limit)
    .map(({ path, rank }) => ({ path, centrality: centralityOf(rank) }))
  const symbols: CentralSymbol[] = []
  for (const { fileId, hash, path, rank } of store.centrality.names(wanted)) {
    const symbol = definitionIn(store, fileId, hash)
    if (symbol !== null) symbols.push({ symbol, path, centrality: centralityOf(rank) })
    if (symbols.length === limit) break
  }
  return { files, symbols }
}

/** From the scale of the index to shares of the average, with two digits. */
export function centralityOf(rank: number): number {
  return Number((2 ** (rank / 16)).toPrecision(2))
}

const BESIDE = FILE_FLAG.test | FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.declaration

function definitionIn(store: Store, fileId: number, hash: number): SymbolRow | null {
  return store.symbols.ofFile(fileId).find(({ name }) => useHash(name) === hash) ?? null
}
