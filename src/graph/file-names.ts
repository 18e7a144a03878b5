import type { Store } from "../store/store.ts"
import { NameLists } from "./name-lists.ts"

/** To order so many the index is asked as long as it need not be asked for all paths. */
const FEW = 64

type Paths = readonly (readonly [id: number, path: string])[]

/** Which names each file uses, by their hashes, and where files stand in the order of paths; kept in memory. */
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

  /** What came since and what went is read when it is asked for. */
  follow(): void {
    this.#paths = null
    this.#isCurrent = false
  }

  /**
   * Ids of the files that use a name. The first is asked of the index itself, as there may be no other: to have all at
   * hand costs as much as five.
   */
  using(hash: number): number[] {
    if (!this.#isAsked) {
      this.#isAsked = true
      return new NameLists(this.#store.uses.namesWith(bytesOf(hash))).holding(hash)
    }
    this.#read()
    return this.#names.holding(hash)
  }

  /** All hashes of names that any file uses. */
  all(): ReadonlySet<number> {
    this.#read()
    return new Set(this.#names.hashes)
  }

  /** By path; where some are to be near, by how many folders they share with the nearest of these first. */
  inOrder(ids: readonly number[], near: readonly string[]): number[] {
    if (this.#paths === null && near.length === 0 && ids.length <= FEW) return this.#store.files.byPaths(ids)
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

/** How many folders a path shares with the nearest of these; many lie in one folder. */
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

function bytesOf(hash: number): Uint8Array {
  return new Uint8Array(new Uint32Array([hash]).buffer)
}
