import type { Store } from "../store/store.ts"

/** Which names each file uses, by their hashes, and where files stand in the order of paths; kept in memory. */
export class FileNames {
  readonly #store: Store
  #isAsked = false
  #newest = 0
  /** Ascending; a hash is as likely as any other. */
  readonly #names = new Map<number, Uint32Array>()
  #paths: readonly (readonly [id: number, path: string])[] | null = null
  #places: ReadonlyMap<number, number> | null = null
  #isCurrent = false

  constructor(store: Store) {
    this.#store = store
  }

  /** What came since and what went is read when it is asked for. */
  follow(): void {
    this.#paths = null
    this.#places = null
    this.#isCurrent = false
  }

  /** Ids of the files that use a name. */
  using(hash: number): number[] {
    const ids: number[] = []
    for (const [id, hashes] of this.#mayUse(hash)) if (holds(hashes, hash)) ids.push(id)
    return ids
  }

  /** All hashes of names that any file uses. */
  all(): ReadonlySet<number> {
    this.#read()
    const used = new Set<number>()
    for (const hashes of this.#names.values()) for (const hash of hashes) used.add(hash)
    return used
  }

  /** By path; where some are to be near, by how many folders they share with the nearest of these first. */
  inOrder(ids: readonly number[], near: readonly string[]): number[] {
    this.#paths ??= this.#store.files.paths()
    this.#places ??= new Map(this.#paths.map(([id], at) => [id, at]))
    const [paths, places] = [this.#paths, this.#places]
    const folders = new Set(near.flatMap(foldersOf))
    const known = ids.flatMap((id) => {
      const place = places.get(id)
      return place === undefined ? [] : [{ id, place, level: levelIn(folders, paths[place]![1]) }]
    })
    known.sort((one, other) => other.level - one.level || one.place - other.place)
    return known.map(({ id }) => id)
  }

  /** The first is asked of the index itself, as there may be no other: to have all at hand costs as much as five. */
  #mayUse(hash: number): Iterable<[id: number, hashes: Uint32Array]> {
    const isFirst = !this.#isAsked
    this.#isAsked = true
    if (isFirst) return this.#store.uses.namesWith(bytesOf(hash)).map(unpacked)
    this.#read()
    return this.#names
  }

  #read(): void {
    if (this.#isCurrent) return
    this.#isCurrent = true
    this.#store.consistently(() => {
      const isFirst = this.#names.size === 0
      for (const [id, hashes] of this.#store.uses.namesAfter(this.#newest).map(unpacked)) {
        this.#names.set(id, hashes)
        this.#newest = Math.max(this.#newest, id)
      }
      if (isFirst) return
      const current = new Set(this.#store.uses.ids())
      for (const id of this.#names.keys()) if (!current.has(id)) this.#names.delete(id)
    })
  }
}

/** Of the deepest of these folders that a path is in. */
function levelIn(folders: ReadonlySet<string>, path: string): number {
  if (folders.size === 0) return 0
  return foldersOf(path).findLastIndex((folder) => folders.has(folder)) + 1
}

function foldersOf(path: string): string[] {
  const folders: string[] = []
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) folders.push(path.slice(0, at))
  return folders
}

function bytesOf(hash: number): Uint8Array {
  return new Uint8Array(new Uint32Array([hash]).buffer)
}

function unpacked([id, names]: readonly [number, Uint8Array]): [number, Uint32Array] {
  return [id, new Uint32Array(names.buffer, names.byteOffset, names.byteLength / 4)]
}

/** Hashes lie evenly between their ends: a guess is seldom far off. */
function holds(hashes: Uint32Array, hash: number): boolean {
  let low = 0
  let high = hashes.length - 1
  while (low <= high) {
    const first = hashes[low]!
    const last = hashes[high]!
    if (hash < first || hash > last) return false
    const at = first === last ? low : low + Math.floor(((hash - first) / (last - first)) * (high - low))
    const value = hashes[at]!
    if (value === hash) return true
    if (value < hash) low = at + 1
    else high = at - 1
  }
  return false
}
