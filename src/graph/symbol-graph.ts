import { useHash } from "../code/use-code.ts"
import type { Store } from "../store/store.ts"
import type { SymbolRow } from "../store/symbols.ts"
import type { Definition } from "./definition.ts"
import { FileView, isType } from "./file-view.ts"

/** More files than this are not kept in memory as views. */
const MOST_VIEWS = 4096

/** What the graph's questions read: definitions and uses of one index, following what its writer commits. */
export class SymbolGraph {
  readonly store: Store
  #version = -1
  #newest = 0
  /** Hashes of the names that each file uses, ascending. */
  readonly #names = new Map<number, Uint32Array>()
  readonly #views = new Map<number, FileView>()
  readonly #bases = new Map<string, ReadonlySet<string>>()
  readonly #named = new Map<string, readonly Definition[]>()

  constructor(store: Store) {
    this.store = store
  }

  /** Everything defined under this very name, in the order of files. */
  definitionsOf(name: string): readonly Definition[] {
    this.#follow()
    let found = this.#named.get(name)
    if (!found) {
      found = this.#withFiles(this.store.symbols.findByName(name))
      this.#named.set(name, found)
    }
    return found
  }

  /** In any case and with any underscores. */
  definitionsLike(name: string): readonly Definition[] {
    this.#follow()
    return this.#withFiles(this.store.symbols.findByFolded(name))
  }

  /** Files in which a name is used, by their ids. */
  filesUsing(name: string): FileView[] {
    this.#follow()
    const hash = useHash(name)
    const ids: number[] = []
    for (const [id, hashes] of this.#names) if (holds(hashes, hash)) ids.push(id)
    return this.files(ids)
  }

  /** All hashes of names that any file uses. */
  usedHashes(): ReadonlySet<number> {
    this.#follow()
    const used = new Set<number>()
    for (const hashes of this.#names.values()) for (const hash of hashes) used.add(hash)
    return used
  }

  file(path: string): FileView | null {
    const row = this.store.files.byPath(path)
    return row === null ? null : (this.files([row.id])[0] ?? null)
  }

  files(ids: readonly number[]): FileView[] {
    this.#follow()
    const missing = ids.filter((id) => !this.#views.has(id))
    if (this.#views.size + missing.length > MOST_VIEWS) this.#views.clear()
    const wanted = this.#views.size === 0 ? ids : missing
    for (const row of this.store.files.placed(wanted)) this.#views.set(row.id, new FileView(this.store, row))
    return ids.flatMap((id) => this.#views.get(id) ?? [])
  }

  /** What a type extends or implements, by what the files that define it say. */
  basesOf(type: string): ReadonlySet<string> {
    const known = this.#bases.get(type)
    if (known) return known
    const bases = new Set<string>()
    this.#bases.set(type, bases)
    for (const { symbol, file } of this.definitionsOf(type)) {
      if (isType(symbol)) for (const base of file.basesOf(type)) bases.add(base)
    }
    // Rust's impl may stand anywhere; that of the same file is where it mostly does.
    return bases
  }

  #withFiles(symbols: readonly SymbolRow[]): Definition[] {
    const files = new Map(
      this.files([...new Set(symbols.map(({ fileId }) => fileId))]).map((file) => [file.id, file]),
    )
    return symbols.flatMap((symbol) => {
      const file = files.get(symbol.fileId)
      return file ? [{ symbol, file }] : []
    })
  }

  #follow(): void {
    const version = this.store.dataVersion()
    if (version === this.#version) return
    this.#version = version
    this.#named.clear()
    this.#bases.clear()
    this.store.consistently(() => {
      const isFirst = this.#names.size === 0
      for (const [id, names] of this.store.uses.namesAfter(this.#newest)) {
        this.#names.set(id, hashesIn(names))
        this.#newest = Math.max(this.#newest, id)
      }
      if (isFirst) return
      const current = new Set(this.store.uses.ids())
      for (const id of this.#names.keys()) if (!current.has(id)) this.#names.delete(id)
    })
    this.#views.clear()
  }
}

function hashesIn(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}

function holds(hashes: Uint32Array, hash: number): boolean {
  let low = 0
  let high = hashes.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const value = hashes[middle]!
    if (value === hash) return true
    if (value < hash) low = middle + 1
    else high = middle - 1
  }
  return false
}
