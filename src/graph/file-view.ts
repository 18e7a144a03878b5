import { posix } from "node:path"
import { LRUCache } from "lru-cache"
import { familyOf } from "../code/family.ts"
import { CALLABLES, TYPES } from "../code/kind-groups.ts"
import { StoredUses } from "../code/stored-uses.ts"
import type { Use } from "../code/use-code.ts"
import type { PlacedFile } from "../store/files.ts"
import type { Store } from "../store/store.ts"
import type { SymbolRow } from "../store/symbols.ts"
import { readUses } from "./damaged-uses.ts"
import { moduleFits, type Place, placeOf, type Wanted, wantedBy } from "./modules.ts"
import { type Said, saidBy } from "./said.ts"
import { segmentsAround, segmentsOf } from "./segments.ts"

type IsWanted = (symbol: SymbolRow) => boolean

/** A file as resolving sees it; read as far as it is asked. */
export class FileView {
  readonly id: number
  readonly path: string
  readonly flags: number
  readonly package: string | null
  readonly family: string
  readonly language: string
  readonly #store: Store
  #imports: string | readonly string[]
  #symbols: readonly SymbolRow[] | null = null
  #places: Uint8Array | null | undefined
  #last: { readonly name: string; readonly uses: readonly Use[] } | null = null
  readonly #importFits = new Map<string, Map<number, number>>()
  readonly #importedMembers = new Map<string, ReadonlySet<string>>()
  readonly #around = new Map<IsWanted, Map<number, SymbolRow | null>>()
  #said: Said | null = null
  #place: Place | null = null
  #folder: string | null = null
  #segments: readonly string[] | null = null
  #segmentsAround: readonly string[] | null = null
  readonly #wanted = new Map<string, Wanted>()

  constructor(store: Store, file: PlacedFile) {
    this.#store = store
    this.id = file.id
    this.path = file.path
    this.flags = file.flags
    this.package = file.package
    this.#imports = file.imports ?? "[]"
    this.language = file.language
    this.family = familyOf(file.language)
  }

  get imports(): readonly string[] {
    if (typeof this.#imports === "string") this.#imports = JSON.parse(this.#imports) as string[]
    return this.#imports
  }

  /** In order of place. */
  get symbols(): readonly SymbolRow[] {
    this.#symbols ??= this.#store.symbols
      .ofFile(this.id)
      .filter(({ kind }) => !NO_NAMES.has(kind))
      .sort((one, other) => one.startLine - other.startLine || other.endLine - one.endLine)
    return this.#symbols
  }

  /** False where nothing told what it uses: such a file may use anything. */
  get isRead(): boolean {
    return this.#packed() !== null
  }

  usesOf(name: string): readonly Use[] {
    if (this.#last?.name !== name) this.#last = { name, uses: this.#read((stored) => stored.of(name)) }
    return this.#last.uses
  }

  /** Those within these lines whose flags are wanted; name by name, by line. */
  usesWithin(first: number, last: number, isWanted: (flags: number) => boolean): readonly Use[] {
    return this.#read((stored) => stored.between(first, last, isWanted))
  }

  /** The modules that a name is imported from. */
  modulesOf(name: string): readonly string[] {
    return this.#says.imported.get(name) ?? []
  }

  /** Whether a member is imported by its owner's name and its own, as Java's static imports do. */
  importsMember(owner: string, name: string): boolean {
    const modules = this.modulesOf(name)
    if (modules.length === 0) return false
    let members = this.#importedMembers.get(name)
    if (!members) {
      members = new Set(modules.map((module) => module.split(".").slice(-2).join(".")))
      this.#importedMembers.set(name, members)
    }
    return members.has(`${owner}.${name}`)
  }

  /** What says the type of a name that was bound last before a line, in the same function; null where nothing does. */
  boundBefore(name: string, line: number, around: SymbolRow | null): string | null {
    const from = around?.startLine ?? 1
    const bound = this.#says.typed.get(name)?.findLast((use) => use.line <= line && use.line >= from)
    return bound?.qualifier ?? null
  }

  /** What each type of the file extends and implements. */
  basesOf(type: string): ReadonlySet<string> {
    return this.#says.bases.get(type) ?? NOTHING
  }

  /** What encloses a line: the innermost function or type. */
  enclosing(line: number, isWanted: IsWanted = isHolder): SymbolRow | null {
    let lines = this.#around.get(isWanted)
    if (!lines) {
      lines = new Map()
      this.#around.set(isWanted, lines)
    }
    let found = lines.get(line)
    if (found === undefined) {
      found = this.innermost(line, isWanted)
      lines.set(line, found)
    }
    return found
  }

  /** The same without remembering it: for what is asked once. */
  innermost(line: number, isWanted: IsWanted): SymbolRow | null {
    let found: SymbolRow | null = null
    for (const symbol of this.symbols) {
      if (symbol.startLine > line) break
      if (symbol.endLine >= line && isWanted(symbol)) found = symbol
    }
    return found
  }

  /** The type around a line, or that whose method is around it. */
  enclosingType(line: number): string | null {
    const around = this.enclosing(line, isTypeOrMember)
    if (around === null) return null
    return isType(around) ? around.name : around.owner
  }

  /** How well the best of these modules, as this file imports them, fits another; 0 to 1. */
  fit(modules: readonly string[], { place }: FileView): number {
    let best = 0
    for (const module of modules) {
      if (best === 1) break
      best = Math.max(best, moduleFits(this.wanted(module), place))
    }
    return best
  }

  /** How well the best of the modules that a name is imported from fits another file. */
  importFit(name: string, home: FileView): number {
    let fits = this.#importFits.get(name)
    if (!fits) {
      fits = new Map()
      this.#importFits.set(name, fits)
    }
    let fit = fits.get(home.id)
    if (fit === undefined) {
      fit = this.fit(this.modulesOf(name), home)
      fits.set(home.id, fit)
    }
    return fit
  }

  wanted(module: string): Wanted {
    let wanted = this.#wanted.get(module)
    if (!wanted) {
      wanted = wantedBy(module, this.path)
      this.#wanted.set(module, wanted)
    }
    return wanted
  }

  /** What others may name it by. */
  get segments(): readonly string[] {
    this.#segments ??= segmentsOf(this)
    return this.#segments
  }

  /** Segments of the files that lie beside it, and of those that its imports may name. */
  get segmentsAround(): readonly string[] {
    this.#segmentsAround ??= segmentsAround(this)
    return this.#segmentsAround
  }

  get folder(): string {
    this.#folder ??= posix.dirname(this.path)
    return this.#folder
  }

  get place(): Place {
    this.#place ??= placeOf(this.path)
    return this.#place
  }

  /** What is worked out once for each other file, by its id. */
  readonly fits = new Map<number, number>()

  get #says(): Said {
    this.#said ??= saidBy(this.#read((stored) => stored.telling()))
    return this.#said
  }

  #read(read: (stored: StoredUses) => Use[]): readonly Use[] {
    return readUses(this.path, () => {
      const stored = this.#stored()
      return stored === null ? [] : read(stored)
    })
  }

  #stored(): StoredUses | null {
    let stored = STORED.get(this)
    if (!stored) {
      const places = this.#packed()
      if (places === null) return null
      stored = new StoredUses(places)
      STORED.set(this, stored)
    }
    return stored
  }

  #packed(): Uint8Array | null {
    if (this.#places === undefined) this.#places = this.#store.uses.places(this.id)
    return this.#places
  }
}

const NOTHING: ReadonlySet<string> = new Set()

/** Of few files at a time the uses are held unpacked. */
const STORED = new LRUCache<FileView, StoredUses>({ max: 32 })

/** What no code names. */
const NO_NAMES: ReadonlySet<string> = new Set(["section", "key", "selector", "element", "route"])

export function isCallable({ kind }: Pick<SymbolRow, "kind">): boolean {
  return CALLABLES.has(kind)
}

export function isType({ kind }: Pick<SymbolRow, "kind">): boolean {
  return TYPES.has(kind)
}

/** One that has its type's name, as in Java and its kin. */
export function isConstructor({ name, owner }: Pick<SymbolRow, "name" | "owner">): boolean {
  return name === owner
}

function isHolder(symbol: SymbolRow): boolean {
  return symbol.kind !== "module" && (isCallable(symbol) || isType(symbol))
}

function isTypeOrMember(symbol: SymbolRow): boolean {
  return isType(symbol) || (isCallable(symbol) && symbol.owner !== null)
}
