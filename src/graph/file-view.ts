import { posix } from "node:path"
import { LRUCache } from "lru-cache"
import { familyOf } from "../code/family.ts"
import { CALLABLES, TYPES } from "../code/kind-groups.ts"
import { USE, type Use, unpackUses } from "../code/use-code.ts"
import type { PlacedFile } from "../store/files.ts"
import type { Store } from "../store/store.ts"
import type { SymbolRow } from "../store/symbols.ts"
import { moduleFits, type Place, placeOf, type Wanted, wantedBy } from "./modules.ts"

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
  #imported: Map<string, string[]> | null = null
  #last: { readonly name: string; readonly uses: readonly Use[] } | null = null
  #bases: Map<string, Set<string>> | null = null
  readonly #importFits = new Map<string, Map<number, number>>()
  readonly #importedMembers = new Map<string, ReadonlySet<string>>()
  readonly #around = new Map<IsWanted, Map<number, SymbolRow | null>>()
  #typed: ReadonlyMap<string, readonly Use[]> | null = null
  #place: Place | null = null
  #folder: string | null = null
  #segments: readonly string[] | null = null
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
    if (this.#last?.name === name) return this.#last.uses
    const known = UNPACKED.get(this)
    if (known) return known.get(name) ?? []
    const places = this.#packed()
    if (places === null) return []
    const uses = unpackUses(places, name)
    this.#imported ??= importedBy(uses)
    this.#bases ??= basesIn(uses)
    this.#typed ??= Map.groupBy(uses.filter(isTyped), (use) => use.name)
    const own = uses.filter((use) => use.name === name)
    this.#last = { name, uses: own }
    return own
  }

  allUses(): Iterable<readonly Use[]> {
    return this.#unpacked().values()
  }

  #unpacked(): ReadonlyMap<string, readonly Use[]> {
    let byName = UNPACKED.get(this)
    if (!byName) {
      const places = this.#packed()
      // What else its uses say is read once, too.
      this.usesOf("")
      byName = Map.groupBy(places === null ? [] : unpackUses(places), ({ name }) => name)
      UNPACKED.set(this, byName)
    }
    return byName
  }

  /** The modules that a name is imported from. */
  modulesOf(name: string): readonly string[] {
    if (this.#imported === null) this.usesOf("")
    return this.#imported?.get(name) ?? []
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
    if (this.#typed === null) this.usesOf("")
    const from = around?.startLine ?? 1
    return this.#typed?.get(name)?.findLast((use) => use.line <= line && use.line >= from)?.qualifier ?? null
  }

  /** What each type of the file extends and implements. */
  basesOf(type: string): ReadonlySet<string> {
    if (this.#bases === null) this.usesOf("")
    return this.#bases?.get(type) ?? NOTHING
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

  /** Each part of its path, lower case; its folder as a whole ends with "/", its package begins with "=". */
  get segments(): readonly string[] {
    this.#segments ??= [
      ...new Set([
        ...this.path
          .toLowerCase()
          .replace(/(?:\.d)?\.\w+$/, "")
          .split("/"),
        `${this.folder}/`,
        ...(this.package === null ? [] : [`=${this.package}`, this.package.toLowerCase()]),
      ]),
    ]
    return this.#segments
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

  #packed(): Uint8Array | null {
    if (this.#places === undefined) this.#places = this.#store.uses.places(this.id)
    return this.#places
  }
}

const NOTHING: ReadonlySet<string> = new Set()

/** Of few files at a time all uses are held: of those whose functions are gone through. */
const UNPACKED = new LRUCache<FileView, ReadonlyMap<string, readonly Use[]>>({ max: 32 })

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

function isTyped({ flags, qualifier }: Use): boolean {
  return (flags & USE.declares) !== 0 && qualifier !== null
}

function importedBy(uses: readonly Use[]): Map<string, string[]> {
  const imported = new Map<string, string[]>()
  for (const { name, flags, qualifier } of uses) {
    if ((flags & USE.import) === 0 || qualifier === null) continue
    const modules = imported.get(name)
    if (!modules) imported.set(name, [qualifier])
    else if (!modules.includes(qualifier)) modules.push(qualifier)
  }
  return imported
}

function basesIn(uses: readonly Use[]): Map<string, Set<string>> {
  const bases = new Map<string, Set<string>>()
  for (const { name, flags, qualifier } of uses) {
    if ((flags & USE.base) === 0 || qualifier === null) continue
    bases.set(qualifier, (bases.get(qualifier) ?? new Set()).add(name))
  }
  return bases
}
