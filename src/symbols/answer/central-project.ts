import { FILE_FLAG, NOT_MAIN_FLAGS } from "../../base/index.ts"
import { COMMON_MEMBERS, useHash } from "../../parse/index.ts"
import type { Store, SymbolRow } from "../../store/index.ts"
import { isCallable, isType } from "../definition.ts"

export type CentralSymbol = {
  readonly symbol: SymbolRow
  readonly path: string
  /**
   * Share of its file's PageRank (over files that use each other's names) that comes from uses of this name; 1
   * is the whole rank of an average file.
   */
  readonly centrality: number
}

/** If fewer symbols than this have an unambiguous name, symbols with ambiguous names fill the list up to it. */
const MIN_SYMBOLS = 8

/**
 * The most central symbols, best first, at most `limit`. Ranks are computed from names alone, so symbols that
 * probably owe their rank to a namesake are left out, or come last if there are few others. Those that other files
 * cannot name are left out.
 */
export function centralIn(store: Store, limit: number): CentralSymbol[] {
  const definitions = definitionsByNameHash(store)
  const unambiguous: CentralSymbol[] = []
  const ambiguous: CentralSymbol[] = []
  for (const { fileId, hash, path, flags, rank } of store.centrality.names(limit * 4 + 100)) {
    const symbols = definitions(fileId)
    const symbol = symbols.get(hash)
    if (symbol === undefined || (flags & OUTSIDE) !== 0 || isHidden(symbol, path)) continue
    const list = isNamedForItself(symbol, path, symbols) ? unambiguous : ambiguous
    list.push({ symbol, path, centrality: centralityOf(rank) })
    if (unambiguous.length === limit) break
  }
  const more = ambiguous.slice(0, Math.max(0, Math.min(limit, MIN_SYMBOLS) - unambiguous.length))
  return [...unambiguous, ...more]
}

const OUTSIDE = NOT_MAIN_FLAGS & ~FILE_FLAG.scripts

/**
 * True for a definition that no other file can name, or not by this name alone, so that it owes its rank to namesakes,
 * and for a definition in a test.
 */
function isHidden({ signature, name, owner, kind }: SymbolRow, path: string): boolean {
  const extension = path.slice(path.lastIndexOf(".") + 1)
  switch (extension) {
    case "ex":
    case "exs":
      // Types and functions are used with the name of their module: `Conn.t()`, `Storage.all()`.
      return kind === "type" || kind === "function" || /^(?:defmacrop|@?typep)\b/.test(signature)
    case "rs":
      return owner === null && !/\bpub\b|^(?:#\[|macro_rules!)/.test(signature)
    case "c":
    case "cc":
    case "cpp":
    case "m":
      return owner === null && /^static\b/.test(signature)
    case "rb":
      return kind === "module" && !isFileOfModule(name, path)
    case "go":
      // Every package has a New, which is used with the name of its package.
      return name === "New"
    case "t":
      return true
    default:
      return /^(?:\w+\s+)?(?:private|fileprivate)\s/.test(signature)
  }
}

/** False for a module that a file only reopens, to patch it or to use it as a namespace for other definitions. */
function isFileOfModule(name: string, path: string): boolean {
  const stem = path.slice(path.lastIndexOf("/") + 1).replace(/\.rb$/, "")
  const plain = (text: string) => text.replace(/^.*::/, "").replaceAll("_", "").toLowerCase()
  return plain(name) === plain(stem) && !/(?:^|\/)(?:initializers|core_ext|ext)\//.test(path)
}

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

/** A file's definitions by the hash of their name, the first of each. Cached, because central files have many. */
function definitionsByNameHash(store: Store): (fileId: number) => ReadonlyMap<number, SymbolRow> {
  const definitionsOf = new Map<number, ReadonlyMap<number, SymbolRow>>()
  return (fileId) => {
    let ofFile = definitionsOf.get(fileId)
    if (ofFile === undefined) {
      const last = store.symbols.ofFile(fileId).reverse()
      ofFile = new Map(last.map((symbol) => [useHash(symbol.name), symbol]))
      definitionsOf.set(fileId, ofFile)
    }
    return ofFile
  }
}
