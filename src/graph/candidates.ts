import { hasImplicitThis } from "../code/family.ts"
import { USE, type Use } from "../code/use-code.ts"
import type { Definition } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { isConstructor, isType } from "./kinds.ts"
import type { Types } from "./types.ts"

/** Up to so many, each is weighed; of more, those that something speaks for. */
const FEW = 12

/** Of so many files who is near is found without an index of all namesakes. */
const ASKED_ONE_BY_ONE = 2

/** All definitions of one name, in the order of files, so kept that a use is weighed against those only that it may mean. */
export class Candidates {
  readonly all: readonly Definition[]
  readonly #families = new Map<string, Family>()

  constructor(all: readonly Definition[]) {
    this.all = all
  }

  /**
   * Those that a use in a file may mean. Of many namesakes that are far away and of an owner that nothing speaks of,
   * none can be told from the others: they are left out.
   */
  for(use: Use, file: FileView, types: Types): readonly Definition[] {
    const family = this.#family(file.family)
    return family.all.length <= FEW ? family.all : family.relevant(use, file, types)
  }

  /**
   * Those of many that a name which stands alone may mean by more than chance: that belong to nothing, or to a type
   * around it. Null where others may, too.
   */
  likely(use: Use, file: FileView, types: Types): readonly Definition[] | null {
    const family = this.#family(file.family)
    if (family.all.length <= FEW || !hasImplicitThis(file.family)) return null
    return family.likely(use, file, types)
  }

  /** Those of them that a file defines itself. */
  ownedBy(fileId: number): readonly Definition[] {
    const from = countBefore(this.all, fileId)
    let to = from
    while (this.all[to]?.file.id === fileId) to++
    return this.all.slice(from, to)
  }

  /** Of how many places of a family's files one is meant, where nothing tells them apart; null: few, to be counted. */
  places(family: string, isFree: boolean): number | null {
    const all = this.#family(family)
    return all.all.length > FEW ? all.places(isFree) : null
  }

  #family(name: string): Family {
    let family = this.#families.get(name)
    if (!family) {
      family = new Family(this.all.filter(({ file }) => file.family === name))
      this.#families.set(name, family)
    }
    return family
  }
}

/** Which of a family's definitions are meant: their places, ascending, marked, too; and these themselves. */
type Near = {
  readonly marks: Uint8Array
  readonly places: readonly number[]
  readonly definitions: readonly Definition[]
  /** Of the places those of what belongs to nothing, or is a type. */
  free: readonly number[] | null
}

/** Those of one family of languages. */
class Family {
  readonly all: readonly Definition[]
  #bySegment: ReadonlyMap<string, readonly number[]> | null = null
  #byOwner: ReadonlyMap<string, readonly number[]> | null = null
  #asked = 0
  readonly #near = new WeakMap<FileView, Near>()
  readonly #named = new Map<string, readonly string[]>()
  readonly #places: [number, number] = [0, 0]

  constructor(all: readonly Definition[]) {
    this.all = all
  }

  relevant(use: Use, file: FileView, types: Types): readonly Definition[] {
    const near = this.#nearTo(file)
    const added: number[] = []
    const add = (at: number) => {
      if (near.marks[at] === 0 && mayName(file, this.all[at]!)) added.push(at)
    }
    for (const owner of this.#ownersFor(use, file, types)) this.#owners().get(owner)?.forEach(add)
    const { qualifier } = use
    if ((use.flags & USE.member) !== 0 && qualifier !== null)
      this.#segments().get(qualifier.toLowerCase())?.forEach(add)
    return added.length === 0 ? near.definitions : this.#at(merged(near.places, inOrder(added)))
  }

  likely(use: Use, file: FileView, types: Types): readonly Definition[] | null {
    const near = this.#nearTo(file)
    near.free ??= near.places.filter((at) => {
      const { symbol } = this.all[at]!
      return symbol.owner === null || isType(symbol) || isConstructor(symbol)
    })
    const owned: number[] = []
    for (const owner of this.#ownersFor(use, file, types))
      for (const at of this.#owners().get(owner) ?? []) if (mayName(file, this.all[at]!)) owned.push(at)
    return this.#at(inOrder([...near.free, ...owned]))
  }

  #at(places: readonly number[]): readonly Definition[] {
    return places.map((at) => this.all[at]!)
  }

  places(isFree: boolean): number {
    const kind = isFree ? 1 : 0
    this.#places[kind] ||= Math.max(
      1,
      countPlaces(
        isFree ? this.all : this.all.filter(({ symbol }) => symbol.owner === null || isType(symbol)),
      ),
    )
    return this.#places[kind]
  }

  /** In the file itself, its folder or its package, or where something that it imports may lie. */
  #nearTo(file: FileView): Near {
    const known = this.#near.get(file)
    if (known) return known
    const marks = new Uint8Array(this.all.length)
    for (const at of this.#sharing(file.segmentsAround)) if (mayName(file, this.all[at]!)) marks[at] = 1
    const places: number[] = []
    for (let at = 0; at < marks.length; at++) if (marks[at] !== 0) places.push(at)
    const near: Near = { marks, places, definitions: this.#at(places), free: null }
    this.#near.set(file, near)
    return near
  }

  /** Owners that a use may speak of: what stands before the dot or is declared for it, and the types around. */
  #ownersFor(use: Use, file: FileView, types: Types): Iterable<string> {
    const { flags, qualifier, line } = use
    const isMember = (flags & USE.member) !== 0
    if (!isMember && !hasImplicitThis(file.family)) return []
    if (!isMember || qualifier === "this") {
      const around = file.outline.enclosingType(line)
      return around === null ? [] : types.lineOf(around, file)
    }
    const declared = types.declared(use, file)
    if (declared !== null) return [...declared.keys()].flatMap((type) => [...types.lineOf(type, file)])
    if (qualifier === null || qualifier === "?") return []
    return [qualifier, ...this.#namedAfter(qualifier)]
  }

  #namedAfter(qualifier: string): readonly string[] {
    let owners = this.#named.get(qualifier)
    if (!owners) {
      const name = plainName(qualifier)
      owners = [...this.#owners().keys()].filter((owner) => namedAfter(name, owner) > 0)
      this.#named.set(qualifier, owners)
    }
    return owners
  }

  #owners(): ReadonlyMap<string, readonly number[]> {
    this.#byOwner ??= indexBy(this.all, ({ symbol: { owner } }) => (owner === null ? [] : [owner]))
    return this.#byOwner
  }

  /** Places of the files that share a segment; an index of all is for who asks of many files. */
  #sharing(around: readonly string[]): readonly number[] {
    if (this.#asked++ >= ASKED_ONE_BY_ONE) {
      const segments = this.#segments()
      return around.flatMap((segment) => segments.get(segment) ?? [])
    }
    const wanted = new Set(around)
    const isWanted = (segment: string) => wanted.has(segment)
    return [...this.all.keys()].filter((at) => this.all[at]!.file.segments.some(isWanted))
  }

  #segments(): ReadonlyMap<string, readonly number[]> {
    this.#bySegment ??= indexBy(this.all, ({ file }) => file.segments)
    return this.#bySegment
  }
}

/**
 * In how many places a name is defined, of definitions in the order of files: types of a file, or that itself. A
 * constructor is where its type is.
 */
export function countPlaces(definitions: readonly Definition[]): number {
  let count = 0
  let last: FileView | null = null
  const owners = new Set<string | null>()
  for (const { symbol, file } of definitions) {
    if (file !== last) {
      count += owners.size
      owners.clear()
      last = file
    }
    owners.add(isConstructor(symbol) ? null : symbol.owner)
  }
  return count + owners.size
}

/** How many are in files of lower ids. */
function countBefore(definitions: readonly Definition[], fileId: number): number {
  let [from, to] = [0, definitions.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (definitions[middle]!.file.id < fileId) from = middle + 1
    else to = middle
  }
  return from
}

function mayName(file: FileView, definition: Definition): boolean {
  return definition.symbol.local === 0 || definition.file.id === file.id
}

/** As `namedAfter` compares what stands before a dot. */
export function plainName(qualifier: string): string {
  return qualifier.replace(/[_$#]/g, "").toLowerCase()
}

/** `userService` and `UserService`; less for `store` and `KeyStore`. */
export function namedAfter(name: string, owner: string): number {
  const type = owner.toLowerCase()
  if (name === type) return 0.75
  return name.length > 2 && (type.endsWith(name) || name.endsWith(type)) ? 0.7 : 0
}

/** Ascending, each once. */
function inOrder(places: number[]): number[] {
  places.sort((one, other) => one - other)
  return places.filter((at, before) => before === 0 || places[before - 1] !== at)
}

/** Of two ascending lists without a place in common. */
function merged(one: readonly number[], other: readonly number[]): number[] {
  const all: number[] = []
  let at = 0
  for (const place of one) {
    while (at < other.length && other[at]! < place) all.push(other[at++]!)
    all.push(place)
  }
  while (at < other.length) all.push(other[at++]!)
  return all
}

/** Places by keys, of which no definition has one twice. */
function indexBy(
  all: readonly Definition[],
  keysOf: (definition: Definition) => readonly string[],
): Map<string, number[]> {
  const index = new Map<string, number[]>()
  for (let at = 0; at < all.length; at++) {
    for (const key of keysOf(all[at]!)) {
      const list = index.get(key)
      if (list) list.push(at)
      else index.set(key, [at])
    }
  }
  return index
}
