/**
 * Answers questions about symbols from the store, and caches what it has read: definitions by name, file views, types
 * and their subtypes, and reference walks. It gives the other files of this folder what they need to know about the whole
 * project. `follow` drops the caches when the index has changed.
 */

import { LRUCache } from "lru-cache"
import { compareTexts } from "../base/index.ts"
import { Packages, type ReadText } from "../index/index.ts"
import { useHash } from "../parse/index.ts"
import type { ExactStore, Store, SymbolRow } from "../store/index.ts"
import { Candidates } from "./candidate-definitions.ts"
import { byPathAndPlace, isCallable, type SymbolDefinition } from "./definition.ts"
import { originalsOf } from "./exported-names.ts"
import { FileView } from "./file-view.ts"
import { Imports } from "./imports.ts"
import { ModuleFinder } from "./module-files.ts"
import { Names } from "./names.ts"
import type { ReferenceWalk } from "./references.ts"
import { type TypeRelations, Types } from "./types.ts"

/** Maximum number of file views kept in memory. */
const MAX_VIEWS = 4096
const MAX_NAMES = 4096
/** Maximum number of files whose lines are kept in memory. */
const MAX_TEXTS = 64
/**
 * The types of a value are derived from definitions of a name only if there are at most this many; a name with more
 * definitions is too common.
 */
const MAX_NAMESAKES = 3
/** Maximum number of names that a misspelt name is compared with, some 50 bytes each. */
const MAX_COMPARED = 200_000
/** Number of reference walks kept in memory, so that the request for the next page continues where the last one stopped. */
const MAX_WALKS = 32

/** A type that extends or implements another, and the id of its file. */
type HeirType = readonly [type: string, fileId: number]

/**
 * All definitions and uses of one index, as the entry point for every query about symbols. `follow` sets the state of
 * the index that a query sees.
 */
export class SymbolGraph {
  readonly store: Store
  #version = -1
  #exact: ExactStore | null = null
  readonly #names: FileNames
  readonly #views = new Map<number, FileView>()
  readonly #extending = new Map<string, readonly HeirType[]>()
  readonly #bases = new Map<string, readonly string[]>()
  readonly #candidates = new LRUCache<string, Candidates>({ max: MAX_NAMES })
  readonly #members = new LRUCache<string, readonly SymbolDefinition[]>({ max: MAX_NAMES })
  readonly #using = new LRUCache<string, readonly number[]>({ max: MAX_NAMES })
  readonly #lines = new LRUCache<string, readonly string[]>({ max: MAX_TEXTS })
  readonly #walks = new LRUCache<string, ReferenceWalk>({ max: MAX_WALKS })
  #folded: readonly string[] | null = null
  #types: Types
  readonly #read: ReadText | null
  #packages: Packages | null = null
  #imports: Imports | null = null
  #known: TypeRelations = this.#relations()

  #relations(gone: readonly SymbolDefinition[] = []): TypeRelations {
    let old: Imports | null = null
    const imports = () => {
      if (gone.length === 0) return this.imports
      old ??= this.#importsWith(gone)
      return old
    }
    return {
      basesOf: (type) => this.#basesOf(type),
      heirsOf: (types) => {
        this.prepareExtending(types)
        return types.flatMap((type) => this.heirsOf(type))
      },
      signaturesOf: (name, family) => this.#signaturesOf(name, family),
      membersOf: (name, owners) => this.#membersOf(name, [...owners]),
      originalsOf: (name, file) => originalsOf(name, file, this),
      names: new Names({
        definitionsOf: (name) => [
          ...this.definitionsOf(name),
          ...gone.filter(({ symbol }) => symbol.name === name),
        ],
        imports,
        idsExtending: (base, among) => this.idsExtending(base, among),
        files: (ids) => this.files(ids),
        basesOf: (type) => this.#basesOf(type),
      }),
    }
  }

  /**
   * `read` reads manifests such as package.json, which say where imports lead. Without it, imports are resolved by
   * paths alone.
   */
  constructor(store: Store, read: ReadText | null = null) {
    this.store = store
    this.#read = read
    this.#names = new FileNames(store)
    this.#types = new Types(this.#known)
  }

  /** All definitions with exactly this name, by path and place. */
  definitionsOf(name: string): readonly SymbolDefinition[] {
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

  /** The members of this name that one of the types has. The walk of a name asks for a few again and again. */
  #membersOf(name: string, owners: readonly string[]): readonly SymbolDefinition[] {
    const key = JSON.stringify([name, ...owners])
    const known = this.#members.get(key)
    const found = known ?? this.#withFiles(this.store.symbols.ownedByOneOf(name, owners))
    if (known === undefined) this.#members.set(key, found)
    return found
  }

  /** Reads the definitions of all these names, if at least two are missing, before they are requested one by one. */
  prepareCandidates(names: Iterable<string>): void {
    const missing = [...names].filter((name) => !this.#candidates.has(name))
    if (missing.length < 2) return
    const found = this.store.symbols.findByNames(missing)
    this.#readFiles([...found.values()].flatMap((symbols) => symbols.map(fileOf)))
    for (const name of missing)
      this.#candidates.set(name, new Candidates(this.#withFiles(found.get(name) ?? [])))
  }

  /** Definitions of a name, ignoring case and underscores. */
  definitionsLike(name: string): readonly SymbolDefinition[] {
    return this.#withFiles(this.store.symbols.findByFolded(name))
  }

  /** The names of all definitions without case and underscores, at most MAX_COMPARED, for comparison with a misspelt name. */
  foldedNames(): readonly string[] {
    this.#folded ??= this.store.symbols.foldedNames(MAX_COMPARED)
    return this.#folded
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

  /** Ids of the files in which a type extends or implements the type `name`; with `among`, only types of these names. */
  idsExtending(name: string, among: ReadonlySet<string> | null): readonly number[] {
    this.prepareExtending([name])
    const ids = this.#extending.get(name)!.flatMap(([type, id]) => (among?.has(type) === false ? [] : [id]))
    return [...new Set(ids)]
  }

  /** Reads the types that extend any of these names in one database query, before they are requested one by one. */
  prepareExtending(names: readonly string[]): void {
    const missing = names.filter((name) => !this.#extending.has(name))
    if (missing.length === 0) return
    const found = Map.groupBy(this.store.uses.extending(missing), ([base]) => base)
    for (const name of missing)
      this.#extending.set(
        name,
        (found.get(name) ?? []).map(([, type, id]): HeirType => [type, id]).sort(byType),
      )
  }

  /** Names of the types that extend or implement the type `name`, in any file. */
  heirsOf(name: string): readonly string[] {
    this.prepareExtending([name])
    return this.#extending.get(name)!.map(([type]) => type)
  }

  /**
   * The ids, sorted by the paths of their files. With `near`, files that share the most leading folders with one of the
   * paths in `near` come first.
   */
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

  /** A line of a file as it is now, counted from 1; null if it cannot be read. */
  lineOf(path: string, line: number): string | null {
    let lines = this.#lines.get(path)
    if (lines === undefined) {
      lines = this.#read?.(path)?.split("\n") ?? []
      this.#lines.set(path, lines)
    }
    return lines[line - 1] ?? null
  }

  #readFiles(ids: readonly number[]): void {
    const missing = new Set<number>()
    for (const id of ids) if (!this.#views.has(id)) missing.add(id)
    if (missing.size === 0) return
    const isFull = this.#views.size + missing.size > MAX_VIEWS
    if (isFull) this.#views.clear()
    const rows = this.store.files.placed(isFull ? ids : [...missing])
    for (const row of rows) this.#views.set(row.id, new FileView(this.store, row, this.#packages))
  }

  get types(): Types {
    return this.#types
  }

  /** The types as if these deleted definitions still existed. */
  typesWith(gone: readonly SymbolDefinition[]): Types {
    return new Types(this.#relations(gone))
  }

  /** Where the names lead that a file imports. */
  get imports(): Imports {
    this.#imports ??= this.#importsWith([])
    return this.#imports
  }

  /** Where imported names lead as if these deleted definitions still existed, and their files. */
  #importsWith(gone: readonly SymbolDefinition[]): Imports {
    const { files } = this.store
    const packages =
      this.#packages ?? new Packages((globs) => files.matching(globs), this.#read ?? (() => null))
    const old = new Map(gone.map(({ file }) => [file.path, file]))
    const known = {
      has: (path: string) => files.has(path) || old.has(path),
      hasFolder: (folder: string) =>
        files.hasBelow(folder) || [...old.keys()].some((path) => path.startsWith(`${folder}/`)),
      matching: (globs: readonly string[]) => files.matching(globs),
    }
    const oldOf = (name: string) => gone.filter(({ symbol }) => symbol.name === name)
    return new Imports({
      file: (path) => this.file(path) ?? old.get(path) ?? null,
      definitionsOf: (name) => [...this.definitionsOf(name), ...oldOf(name)],
      definedIn: (name, file) => {
        // The outline has no names of what a module inside a file of Rust, or a table of Lua, defines.
        const isKnown = file.family === "rust" || file.family === "lua" || file.outline.defines(name)
        const own = isKnown ? this.candidatesOf(name).inFile(file.id) : []
        const deleted = oldOf(name).filter((each) => each.file.path === file.path)
        return deleted.length === 0 ? own : [...own, ...deleted]
      },
      modules: new ModuleFinder(known, packages),
      packageIn: (folder) => files.packageIn(folder),
    })
  }

  /** The walk stored under a key, ready to continue where it stopped; if there is none, the walk that `begin` creates. */
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
    // The bases of the bases are read too, because they are needed next.
    const above = this.store.uses.basesAbove(type)
    const byHeir = Map.groupBy(above, ([heir]) => heir)
    for (const name of [type, ...above.map(([, base]) => base)])
      this.#bases.set(name, (byHeir.get(name) ?? []).map(([, base]) => base).sort())
    return this.#bases.get(type)!
  }

  #signaturesOf(name: string, family: string): readonly string[] {
    const found = this.definitionsOf(name).filter(
      ({ symbol, file }) => file.family === family && isCallable(symbol),
    )
    return found.length > MAX_NAMESAKES ? [] : found.map(({ symbol }) => symbol.signature)
  }

  #withFiles(symbols: readonly SymbolRow[]): SymbolDefinition[] {
    this.#readFiles(symbols.map(fileOf))
    const definitions: SymbolDefinition[] = []
    for (const symbol of symbols) {
      const file = this.#views.get(symbol.fileId)
      if (file) definitions.push({ symbol, file })
    }
    // The database returns rows by file id, which depends on when each file was indexed. Later steps break ties by
    // this order, so it must not.
    return definitions.sort(byPathAndPlace)
  }

  /**
   * Drops everything cached if the index has changed since the last call. Must be called at the start of each query. It
   * is not called at every step, because the check costs as much as a step.
   */
  follow(): this {
    const version = this.store.dataVersion()
    const exact = this.store.exact()
    if (version === this.#version && exact === this.#exact) return this
    this.clear()
    this.#version = version
    this.#exact = exact
    this.#packages = this.#read && new Packages((globs) => this.store.files.matching(globs), this.#read)
    this.#known = this.#relations()
    this.#types = new Types(this.#known)
    return this
  }

  /** Drops all that has been read. Compiled code may keep the graph itself alive. */
  clear(): void {
    this.#version = -1
    this.#candidates.clear()
    this.#members.clear()
    this.#using.clear()
    this.#lines.clear()
    this.#walks.clear()
    this.#folded = null
    this.#bases.clear()
    this.#extending.clear()
    this.#views.clear()
    this.#packages = null
    this.#known = this.#relations()
    this.#types = new Types(this.#known)
    this.#imports = null
    this.#names.follow()
  }
}

function byType([one]: HeirType, [other]: HeirType): number {
  return compareTexts(one, other)
}

function fileOf({ fileId }: SymbolRow): number {
  return fileId
}

/** The graph of an open store, updated for the current query. */
export function graphOf(store: Store, read: ReadText): SymbolGraph {
  return store.kept(SymbolGraph, () => new SymbolGraph(store, read)).follow()
}

/** Up to this many ids are sorted by the database while the paths of all files are not in memory. */
const MAX_SORTED_BY_STORE = 64

type Paths = readonly (readonly [id: number, path: string])[]

/** Hashes of the names that each file uses, and the order of files by path. Both stay in memory. */
class FileNames {
  readonly #store: Store
  #isAsked = false
  #names = new NameLists([])
  #paths: Paths | null = null
  #places: ReadonlyMap<number, number> = new Map()
  #isCurrent = false

  constructor(store: Store) {
    this.#store = store
  }

  /** Marks the cached lists as outdated. New and deleted files are then read at the next access. */
  follow(): void {
    this.#paths = null
    this.#isCurrent = false
  }

  /**
   * Ids of the files that use a name. The first call reads only this name from the database, because it may remain the
   * only call: loading the lists of all files costs as much as five such reads.
   */
  using(hash: number): number[] {
    if (!this.#isAsked) {
      this.#isAsked = true
      return new NameLists(this.#store.uses.namesWith(littleEndian(hash))).holding(hash)
    }
    this.#read()
    return this.#names.holding(hash)
  }

  /** All hashes of names that any file uses. */
  all(): ReadonlySet<number> {
    this.#read()
    return new Set(this.#names.hashes)
  }

  /**
   * The ids, sorted by the paths of their files. With `near`, files that share the most leading folders with one of the
   * paths in `near` come first.
   */
  inOrder(ids: readonly number[], near: readonly string[]): number[] {
    if (this.#paths === null && near.length === 0 && ids.length <= MAX_SORTED_BY_STORE)
      return this.#store.files.byPaths(ids)
    const paths = this.#readPaths()
    const levelOf = levelsIn(near)
    const byLevel: number[][] = []
    for (const id of ids) {
      const place = this.#places.get(id)
      if (place === undefined) continue
      const level = levelOf(paths[place]![1])
      const same = byLevel[level]
      if (same) same.push(place)
      else byLevel[level] = [place]
    }
    return byLevel
      .reverse()
      .flatMap((same) => Array.from(Uint32Array.from(same).sort(), (at) => paths[at]![0]))
  }

  #read(): void {
    if (this.#isCurrent) return
    this.#isCurrent = true
    this.#store.consistently(() => {
      const known = this.#names
      const added = this.#store.uses.namesAfter(known.newest)
      if (known.newest === 0) this.#names = new NameLists(added)
      else this.#names = known.with(added, new Set(this.#store.uses.ids()))
      this.#readPaths()
    })
  }

  #readPaths(): Paths {
    if (this.#paths === null) {
      this.#paths = this.#store.files.paths()
      this.#places = new Map(this.#paths.map(([id], at) => [id, at]))
    }
    return this.#paths
  }
}

/**
 * Returns a function that counts the leading folders that a path shares with the most similar of the paths in `near`.
 * The counts are cached by folder.
 */
function levelsIn(near: readonly string[]): (path: string) => number {
  if (near.length === 0) return () => 0
  const folders = new Set(near.flatMap(foldersOf))
  const known = new Map<string, number>()
  return (path) => {
    const folder = path.slice(0, path.lastIndexOf("/") + 1)
    let level = known.get(folder)
    if (level === undefined) {
      level = foldersOf(folder).findLastIndex((each) => folders.has(each)) + 1
      known.set(folder, level)
    }
    return level
  }
}

function foldersOf(path: string): string[] {
  const folders: string[] = []
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) folders.push(path.slice(0, at))
  return folders
}

function littleEndian(hash: number): Uint8Array {
  return new Uint8Array(new Uint32Array([hash]).buffer)
}

/**
 * The hashes of the names that each file uses, in ascending order, for the files in the order of their ids. All hashes
 * are in one array, because each lookup searches the lists of all files.
 */
export class NameLists {
  readonly hashes: Uint32Array
  readonly #ids: readonly number[]
  /** Offset of each file's first hash, followed by the end of the last list. */
  readonly #starts: Uint32Array
  /**
   * A filter for each file, with eight bits per hash; each hash sets one bit. An unset bit proves that the file lacks
   * the hash, which rules out most files.
   */
  readonly #bits: Uint8Array

  constructor(rows: readonly (readonly [id: number, hashes: Uint8Array])[]) {
    this.#ids = rows.map(([id]) => id)
    this.#starts = new Uint32Array(rows.length + 1)
    for (const [at, [, { byteLength }]] of rows.entries())
      this.#starts[at + 1] = this.#starts[at]! + byteLength / 4
    this.hashes = new Uint32Array(this.#starts[rows.length]!)
    const bytes = new Uint8Array(this.hashes.buffer)
    for (const [at, [, own]] of rows.entries()) bytes.set(own, 4 * this.#starts[at]!)
    this.#bits = filterBits(this.hashes, this.#starts)
  }

  /** The highest file id; 0 without files. New files always get higher ids. */
  get newest(): number {
    return this.#ids.at(-1) ?? 0
  }

  /** A copy that keeps the files that are still in `current` and adds the newer files. */
  with(
    newer: readonly (readonly [id: number, hashes: Uint8Array])[],
    current: ReadonlySet<number>,
  ): NameLists {
    const bytes = new Uint8Array(this.hashes.buffer)
    const kept = this.#ids.flatMap((id, at): [number, Uint8Array][] =>
      current.has(id) ? [[id, bytes.subarray(4 * this.#starts[at]!, 4 * this.#starts[at + 1]!)]] : [],
    )
    return new NameLists([...kept, ...newer])
  }

  /**
   * Ids of the files whose list contains the hash. Hashes are evenly distributed, so the search in a list starts at the
   * position expected for the hash and is seldom far from it.
   */
  holding(hash: number): number[] {
    const { hashes } = this
    const [ids, starts, bits] = [this.#ids, this.#starts, this.#bits]
    const share = hash / 2 ** 32
    const other = shareOfRest(hash)
    const found: number[] = []
    let to = 0
    for (let place = 0; place < ids.length; place++) {
      const from = to
      to = starts[place + 1]!
      const bit = Math.floor(8 * (to - from) * other)
      if (((bits[from + (bit >>> 3)] ?? 0) & (1 << (bit & 7))) === 0) continue
      let at = from + Math.floor((to - from) * share)
      while (at < to && hashes[at]! < hash) at++
      while (at > from && hashes[at - 1]! >= hash) at--
      if (at < to && hashes[at] === hash) found.push(ids[place]!)
    }
    return found
  }
}

function filterBits(hashes: Uint32Array, starts: Uint32Array): Uint8Array {
  const bits = new Uint8Array(hashes.length)
  for (let place = 1; place < starts.length; place++) {
    const from = starts[place - 1]!
    const to = starts[place]!
    for (let at = from; at < to; at++) {
      const bit = Math.floor(8 * (to - from) * shareOfRest(hashes[at]!))
      bits[from + (bit >>> 3)]! |= 1 << (bit & 7)
    }
  }
  return bits
}

/** The lower 16 bits of a hash as a fraction, from 0 to below 1. It chooses a bit in the filter. */
function shareOfRest(hash: number): number {
  return (hash & 0xffff) / 0x1_0000
}
