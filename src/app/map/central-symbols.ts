import { ASIDE, FILE_FLAG } from "../../base/file-flag.ts"
import { useHash } from "../../code/use-code.ts"
import type { FileAmount } from "../../store/files.ts"
import type { Store } from "../../store/store.ts"
import type { SymbolRow } from "../../store/symbols.ts"

export type CentralSymbol = {
  readonly name: string
  readonly kind: string
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly signature: string
  /** Files that use a name like it, divided among what is called so. */
  readonly used_by: number
}

const MOST = 300
const MOST_NAMESAKES = 4
const KINDS = [
  "function",
  "class",
  "interface",
  "struct",
  "enum",
  "trait",
  "type",
  "module",
  "macro",
  "component",
]
const NOT_COUNTED = ASIDE | FILE_FLAG.test | FILE_FLAG.generated

/** Functions and types by how many files use their names, most first; those beside the project are left out. */
export function centralSymbols(store: Store, files: readonly FileAmount[]): CentralSymbol[] {
  const own = new Map(files.filter(({ flags }) => (flags & NOT_COUNTED) === 0).map((file) => [file.id, file]))
  const users = new Map<number, number>()
  for (const [id, names] of store.uses.namesAfter(0)) {
    if (!own.has(id)) continue
    for (const hash of hashesIn(names)) users.set(hash, (users.get(hash) ?? 0) + 1)
  }
  const byName = Map.groupBy(
    store.symbols.ofKinds(KINDS).filter((row) => own.has(row.fileId)),
    ({ name }) => name,
  )
  const ranked = [...byName].flatMap(([name, rows]) => {
    const used = users.get(useHash(name)) ?? 0
    if (used === 0 || rows.length > MOST_NAMESAKES || !isTelling(name)) return []
    return rows.map((row) => ({ row, used: used / rows.length }))
  })
  return ranked
    .sort((one, other) => other.used - one.used || compare(one.row, other.row))
    .slice(0, MOST)
    .flatMap(({ row, used }) => shown(store, own.get(row.fileId)!.path, row, used))
}

/** Of one small word nobody knows what uses of it mean. */
function isTelling(name: string): boolean {
  return /^\p{Lu}\p{L}{2}|\p{Ll}\p{Lu}|\p{L}_\p{L}/u.test(name)
}

type Named = Pick<SymbolRow, "fileId" | "ordinal" | "index" | "name">

function compare(one: Named, other: Named): number {
  return one.name < other.name ? -1 : one.name > other.name ? 1 : one.fileId - other.fileId
}

function shown(store: Store, path: string, row: Named, used: number): CentralSymbol[] {
  const symbol = store.symbols.ofChunk(row.fileId, row.ordinal).find(({ index }) => index === row.index)
  if (!symbol) return []
  const { name, kind, signature, startLine, endLine } = symbol
  const used_by = Math.round(used * 10) / 10
  return [{ name, kind, path, start_line: startLine, end_line: endLine, signature, used_by }]
}

function hashesIn(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}
