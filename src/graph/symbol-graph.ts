import { LRUCache } from "lru-cache"
import { importsNames } from "../code/family.ts"
import { useHash } from "../code/use-code.ts"
import type { Store } from "../store/store.ts"
import type { SymbolRow } from "../store/symbols.ts"
import { Candidates } from "./candidates.ts"
import type { Definition } from "./definition.ts"
import { FileNames } from "./file-names.ts"
import { FileView } from "./file-view.ts"
import { isCallable } from "./kinds.ts"
import type { ReferenceWalk } from "./reference-walk.ts"
import { type Known, Types } from "./types.ts"

/** More files than this are not kept in memory as views. */
const MOST_VIEWS = 4096
const MOST_NAMES = 4096
/** Of more functions of one name, what that gives says nothing. */
const MOST_ALIKE = 3
/** Where a type may have a second name. */
const ALIASED = /^(?:js|rust|go|swift|jvm)$/
/** Questions of which the next page may be asked. */
const MOST_WALKS = 32

/** A type that extends or implements another, in a file. */
type Heir = readonly [type: string, fileId: number]

/** What the graph's questions read: definitions and uses of one index, as it was when the question was put. */
export class SymbolGraph {
  readonly store: Store
  #version = -1
  readonly #names: FileNames
  readonly #views = new Map<number, FileView>()
  readonly #extending = new Map<string, readonly Heir[]>()
  readonly #globals = new LRUCache<string, readonly Definition[]>({ max: MOST_NAMES })
  readonly #bases = new Map<string, readonly string[]>()
  readonly #candidates = new LRUCache<string, Candidates>({ max: MOST_NAMES })
  readonly #using = new LRUCache<string, readonly number[]>({ max: MOST_NAMES })
  readonly #walks = new LRUCache<string, ReferenceWalk>({ max: MOST_WALKS })
  #types: Types
  readonly #known: Known = {
    basesOf: (type) => this.#basesOf(type),
    heirsOf: (types) => {
      this.prepareExtending(types)
      return types.flatMap((type) => this.heirsOf(type))
    },
    signaturesOf: (name, family) => this.#signaturesOf(name, family),
    membersOf: (name, owners) => this.#withFiles(this.store.symbols.ownedByOneOf(name, [...owners])),
    globalsOf: (name, file) => this.#globalsOf(name, file),
    isHome: (type, home, file) => this.#isHome(type, home, file),
    aliasOf: (type, file) => this.#aliasOf(type, file),
  }

  constructor(store: Store) {
    this.store = store
    this.#names = new FileNames(store)
    this.#types = new Types(this.#known)
  }

  /** Everything defined under this very name, in the order of files. */
  definitionsOf(name: string): readonly Definition[] {
    return this.candidatesOf(name).all
  }

  candidatesOf(name: string): Candidates {
    let found = this.#candidates.get(name)
    if (!found) {
      found = new Candidates(this.#withFiles(this.store.symbols.findByName(name)))
      this.#candidates.set(name, found)
    }
    return found
  }

  /** Reads at once what one by one will be asked for. */
  prepareCandidates(names: Iterable<string>): void {
    const missing = [...names].filter((name) => !this.#candidates.has(name))
    if (missing.length < 2) return
    const found = this.store.symbols.findByNames(missing)
    this.#readFiles([...found.values()].flatMap((symbols) => symbols.map(fileOf)))
    for (const name of missing)
      this.#candidates.set(name, new Candidates(this.#withFiles(found.get(name) ?? [])))
  }

  /** In any case and with any underscores. */
  definitionsLike(name: string): readonly Definition[] {
    return this.#withFiles(this.store.symbols.findByFolded(name))
  }

  /** Files in which a name is used. */
  filesUsing(name: string): FileView[] {
    return this.files(this.idsUsing(name))
  }

  idsUsing(name: string): readonly number[] {
    let ids = this.#using.get(name)
    if (!ids) {
      ids = this.#names.using(useHash(name))
      this.#using.set(name, ids)
    }
    return ids
  }

  /** Files where a type, or one of these types, extends or implements one of that name. */
  idsExtending(name: string, among: ReadonlySet<string> | null): readonly number[] {
    this.prepareExtending([name])
    const ids = this.#extending.get(name)!.flatMap(([type, id]) => (among?.has(type) === false ? [] : [id]))
    return [...new Set(ids)]
  }

  /** Reads at once what one by one will be asked for. */
  prepareExtending(names: readonly string[]): void {
    const missing = names.filter((name) => !this.#extending.has(name))
    if (missing.length === 0) return
    const found = Map.groupBy(this.store.uses.extending(missing), ([base]) => base)
    for (const name of missing)
      this.#extending.set(
        name,
        (found.get(name) ?? []).map(([, type, id]): Heir => [type, id]),
      )
  }

  /** What extends or implements one of that name, in whatever files. */
  heirsOf(name: string): readonly string[] {
    this.prepareExtending([name])
    return this.#extending.get(name)!.map(([type]) => type)
  }

  /** By path; where some are to be near, those first that share most folders with one of them. */
  inOrder(ids: readonly number[], near: readonly string[]): number[] {
    return this.#names.inOrder(ids, near)
  }

  /** All hashes of names that any file uses. */
  usedHashes(): ReadonlySet<number> {
    return this.#names.all()
  }

  file(path: string): FileView | null {
    const row = this.store.files.byPath(path)
    return row === null ? null : (this.files([row.id])[0] ?? null)
  }

  files(ids: readonly number[]): FileView[] {
    this.#readFiles(ids)
    return ids.flatMap((id) => this.#views.get(id) ?? [])
  }

  #readFiles(ids: readonly number[]): void {
    const missing = new Set<number>()
    for (const id of ids) if (!this.#views.has(id)) missing.add(id)
    if (missing.size === 0) return
    const isFull = this.#views.size + missing.size > MOST_VIEWS
    if (isFull) this.#views.clear()
    const rows = this.store.files.placed(isFull ? ids : [...missing])
    for (const row of rows) this.#views.set(row.id, new FileView(this.store, row))
  }

  get types(): Types {
    return this.#types
  }

  /** The walk of that name as far as it went, or a new one. */
  walk(key: string, begin: () => ReferenceWalk): ReferenceWalk {
    let walk = this.#walks.get(key)
    if (!walk) {
      walk = begin()
      this.#walks.set(key, walk)
    }
    return walk
  }

  #basesOf(type: string): readonly string[] {
    const known = this.#bases.get(type)
    if (known) return known
    // Who asks for these asks for theirs next.
    const above = this.store.uses.basesAbove(type)
    const byType = Map.groupBy(above, ([heir]) => heir)
    for (const name of [type, ...above.map(([, base]) => base)])
      this.#bases.set(
        name,
        (byType.get(name) ?? []).map(([, base]) => base),
      )
    return this.#bases.get(type)!
  }

  #aliasOf(type: string, file: FileView): Definition | null {
    if (!ALIASED.test(file.family)) return null
    return this.#globalsOf(type, file).find(({ symbol }) => symbol.kind === "type") ?? null
  }

  /** Of the file itself, else those that it imports by this name. */
  #globalsOf(name: string, file: FileView): readonly Definition[] {
    const key = `${file.id} ${name}`
    let found = this.#globals.get(key)
    if (!found) {
      found = this.#findGlobals(name, file)
      this.#globals.set(key, found)
    }
    return found
  }

  #findGlobals(name: string, file: FileView): readonly Definition[] {
    const { symbols } = this.store
    if (file.outline.defines(name)) {
      const own = symbols.ownedByNone(name, file.id)
      if (own.length > 0) return own.map((symbol) => ({ symbol, file }))
    }
    // Elsewhere too many are called the same.
    if (!importsNames(file.family) || file.modulesOf(name).length === 0) return []
    const found = this.#withFiles(symbols.ownedByNone(name, null)).filter(
      (each) => each.file.family === file.family,
    )
    const fits = found.map((each) => file.importFit(name, each.file))
    const best = Math.max(0, ...fits)
    const some = found.filter((_, at) => fits[at] === best)
    return some.length > MOST_ALIKE ? [] : some
  }

  /** Where a name means what one file defines, by that file and its imports. */
  #isHome(type: string, home: FileView, file: FileView): boolean {
    if (home.id === file.id || !importsNames(file.family)) return true
    const found = this.#globalsOf(type, file)
    return found.length === 0 || found.some((each) => each.file.id === home.id)
  }

  #signaturesOf(name: string, family: string): readonly string[] {
    const found = this.definitionsOf(name).filter(
      ({ symbol, file }) => file.family === family && isCallable(symbol),
    )
    return found.length > MOST_ALIKE ? [] : found.map(({ symbol }) => symbol.signature)
  }

  #withFiles(symbols: readonly SymbolRow[]): Definition[] {
    this.#readFiles(symbols.map(fileOf))
    const definitions: Definition[] = []
    for (const symbol of symbols) {
      const file = this.#views.get(symbol.fileId)
      if (file) definitions.push({ symbol, file })
    }
    return definitions
  }

  /**
   * Before each question: what the writer has committed since. Asked at every step it would cost as much as the steps.
   */
  follow(): this {
    const version = this.store.dataVersion()
    if (version === this.#version) return this
    this.#version = version
    this.#candidates.clear()
    this.#using.clear()
    this.#walks.clear()
    this.#bases.clear()
    this.#globals.clear()
    this.#extending.clear()
    this.#views.clear()
    this.#types = new Types(this.#known)
    this.#names.follow()
    return this
  }
}

function fileOf({ fileId }: SymbolRow): number {
  return fileId
}
