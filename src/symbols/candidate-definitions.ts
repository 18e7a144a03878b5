import { hasImplicitThis, USE, type Use } from "../parse/index.ts"
import { TIE, type Tie } from "./certainty.ts"
import { isConstructor, isSelfReference, isType, type SymbolDefinition } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import type { Types } from "./types.ts"

/**
 * Up to this many definitions of a name, all are weighed. If there are more, a definition is weighed only if it shares
 * more than the name with the use: its folder, package, import or owner.
 */
const MAX_ALL_WEIGHED = 12

/**
 * For the first requests (this many files), nearby definitions are found by searching all definitions; after that an
 * index is built.
 */
const SEARCHES_WITHOUT_INDEX = 2

/**
 * All definitions of one name, sorted by path and position, and indexed so that a use is compared only with the
 * definitions that it may refer to.
 */
export class Candidates {
  readonly all: readonly SymbolDefinition[]
  readonly #families = new Map<string, Family>()
  #byFile: ReadonlyMap<number, readonly SymbolDefinition[]> | null = null

  constructor(all: readonly SymbolDefinition[]) {
    this.all = all
  }

  /**
   * The definitions that a use in a file may refer to. If there are many, this leaves out definitions in distant files
   * whose owner is not named near the use, because nothing but the name connects them with the use.
   */
  for(use: Use, file: FileView, types: Types): readonly SymbolDefinition[] {
    const family = this.#family(file.family)
    return family.all.length <= MAX_ALL_WEIGHED ? family.all : family.relevant(use, file, types)
  }

  /**
   * For a name without a qualifier that has many definitions: those that it may refer to by more than the
   * name, because they have no owner or belong to an enclosing type. Null when all other definitions must be
   * considered too.
   */
  likely(use: Use, file: FileView, types: Types): readonly SymbolDefinition[] | null {
    const family = this.#family(file.family)
    if (family.all.length <= MAX_ALL_WEIGHED || !hasImplicitThis(file.family)) return null
    return family.likely(use, file, types)
  }

  /** The definitions that are in one file. */
  inFile(fileId: number): readonly SymbolDefinition[] {
    this.#byFile ??= Map.groupBy(this.all, ({ file }) => file.id)
    return this.#byFile.get(fileId) ?? []
  }

  /**
   * Number of places where files of a language family define the name. When nothing else distinguishes the definitions,
   * nothing is decided if this is more than 1. Null when there are few definitions; the caller then counts them.
   */
  places(family: string, isFree: boolean): number | null {
    const all = this.#family(family)
    return all.all.length > MAX_ALL_WEIGHED ? all.places(isFree) : null
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

/**
 * The definitions near a file, as positions in the list of the language family: `marks` has an entry for each position,
 * `places` lists the marked positions in ascending order, and `definitions` are the definitions at these positions.
 */
type NearDefinitions = {
  readonly marks: Uint8Array
  readonly places: readonly number[]
  readonly definitions: readonly SymbolDefinition[]
  /** Positions of types, constructors and definitions without an owner; null until needed. */
  free: readonly number[] | null
}

/** The definitions of a name in one language family. */
class Family {
  readonly all: readonly SymbolDefinition[]
  #bySegment: ReadonlyMap<string, readonly number[]> | null = null
  #byOwner: ReadonlyMap<string, readonly number[]> | null = null
  #asked = 0
  readonly #near = new WeakMap<FileView, NearDefinitions>()
  readonly #named = new Map<string, readonly string[]>()
  readonly #places: [number, number] = [0, 0]

  constructor(all: readonly SymbolDefinition[]) {
    this.all = all
  }

  relevant(use: Use, file: FileView, types: Types): readonly SymbolDefinition[] {
    const near = this.#nearTo(file)
    const added: number[] = []
    const add = (at: number) => {
      if (near.marks[at] === 0 && mayName(file, this.all[at]!)) added.push(at)
    }
    for (const owner of this.#ownersFor(use, file, types)) this.#owners().get(owner)?.forEach(add)
    const { qualifier } = use
    if ((use.flags & USE.member) !== 0 && qualifier !== null)
      this.#segments().get(qualifier.toLowerCase())?.forEach(add)
    return added.length === 0 ? near.definitions : this.#at(mergeAscending(near.places, sortedPlaces(added)))
  }

  likely(use: Use, file: FileView, types: Types): readonly SymbolDefinition[] | null {
    const near = this.#nearTo(file)
    near.free ??= near.places.filter((at) => {
      const { symbol } = this.all[at]!
      return symbol.owner === null || isType(symbol) || isConstructor(symbol)
    })
    const owned: number[] = []
    for (const owner of this.#ownersFor(use, file, types))
      for (const at of this.#owners().get(owner) ?? []) if (mayName(file, this.all[at]!)) owned.push(at)
    return this.#at(sortedPlaces([...near.free, ...owned]))
  }

  #at(places: readonly number[]): readonly SymbolDefinition[] {
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

  /** Definitions in the file itself, in its folder or package, and in files that one of its imports may refer to. */
  #nearTo(file: FileView): NearDefinitions {
    const known = this.#near.get(file)
    if (known) return known
    const marks = new Uint8Array(this.all.length)
    for (const at of this.#sharing(file.segmentsAround)) if (mayName(file, this.all[at]!)) marks[at] = 1
    const places: number[] = []
    for (let at = 0; at < marks.length; at++) if (marks[at] !== 0) places.push(at)
    const near: NearDefinitions = { marks, places, definitions: this.#at(places), free: null }
    this.#near.set(file, near)
    return near
  }

  /**
   * Owners that a use may refer to: the qualifier or its declared types; for `this`, and in some languages for a name
   * without qualifier, the enclosing types.
   */
  #ownersFor(use: Use, file: FileView, types: Types): Iterable<string> {
    const { flags, qualifier, line } = use
    const isMember = (flags & USE.member) !== 0
    if (!isMember && !hasImplicitThis(file.family)) return []
    if (!isMember || isSelfReference(qualifier)) {
      const around = file.outline.enclosingType(line)
      return around === null ? [] : types.lineageOf(around, file)
    }
    const declared = types.declared(use, file)
    if (declared !== null) return [...declared.keys()].flatMap((type) => [...types.lineageOf(type, file)])
    if (qualifier === null || qualifier === "?") return []
    return [qualifier, ...types.originalNames(qualifier, file), ...this.#namedAfter(qualifier)]
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

  /**
   * Positions of the definitions in files that share a segment with `around`. The index of all segments is built only
   * when several files have asked.
   */
  #sharing(around: readonly string[]): readonly number[] {
    if (this.#asked++ >= SEARCHES_WITHOUT_INDEX) {
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
 * Number of distinct pairs of file and owner among the definitions, which must be grouped by file. Definitions without
 * an owner count once per file. So do constructors, which count with their type.
 */
export function countPlaces(definitions: readonly SymbolDefinition[]): number {
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

function mayName(file: FileView, definition: SymbolDefinition): boolean {
  return definition.symbol.local === 0 || definition.file.id === file.id
}

/** A qualifier in the form that `namedAfter` compares: lower case, without `_`, `$` and `#`. */
export function plainName(qualifier: string): string {
  return qualifier.replace(/[_$#]/g, "").toLowerCase()
}

/**
 * The tie of a variable to a type by their names: `userService` and `UserService`, or, which is less, `store` and
 * `KeyStore`.
 */
export function namedAfter(name: string, owner: string): Tie {
  const type = owner.toLowerCase()
  if (name === type) return TIE.similar
  return name.length > 2 && (type.endsWith(name) || name.endsWith(type)) ? TIE.similar - 1 : TIE.none
}

/** Sorts the places ascending and removes duplicates. */
function sortedPlaces(places: number[]): number[] {
  places.sort((one, other) => one - other)
  return places.filter((at, index) => index === 0 || places[index - 1] !== at)
}

/** Merges two ascending lists that have no place in common. */
function mergeAscending(one: readonly number[], other: readonly number[]): number[] {
  const all: number[] = []
  let at = 0
  for (const place of one) {
    while (at < other.length && other[at]! < place) all.push(other[at++]!)
    all.push(place)
  }
  while (at < other.length) all.push(other[at++]!)
  return all
}

/** Positions of the definitions by key. A definition must not have the same key twice. */
function indexBy(
  all: readonly SymbolDefinition[],
  keysOf: (definition: SymbolDefinition) => readonly string[],
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
