import type { Store } from "../../store/index/store.ts"

/** Up to this many ids are sorted by the database while the paths of all files are not in memory. */
const MAX_SORTED_BY_STORE = 64

type Paths = readonly (readonly [id: number, path: string])[]

/** Hashes of the names that each file uses, and the order of files by path. Both stay in memory. */
export class FileNames {
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
