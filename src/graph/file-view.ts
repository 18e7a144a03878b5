import { posix } from "node:path"
import { familyOf } from "../code/family.ts"
import { StoredUses } from "../code/stored-uses.ts"
import { USE, type Use } from "../code/use-code.ts"
import type { PlacedFile } from "../store/file-rows.ts"
import type { Store } from "../store/store.ts"
import type { SymbolRow } from "../store/symbols.ts"
import { readUses } from "./damaged-uses.ts"
import { NAMELESS } from "./kinds.ts"
import { lastPart, moduleFits, type Place, placeOf, type Wanted, wantedBy } from "./modules.ts"
import { AROUND, byPlace, Outline } from "./outline.ts"
import { type Said, saidBy } from "./said.ts"
import { segmentsAround, segmentsOf } from "./segments.ts"

/** The uses of the name that was asked for last. */
type Last = { readonly name: string; readonly uses: readonly Use[]; declaring: readonly number[] | null }

/** A file as resolving sees it; read as far as it is asked. */
export class FileView {
  static #unpackedOnes = 0
  readonly id: number
  readonly path: string
  readonly flags: number
  readonly package: string | null
  readonly family: string
  readonly language: string
  readonly #store: Store
  #imports: string | readonly string[]
  #importNames: readonly string[] | null = null
  #symbols: readonly SymbolRow[] | null = null
  #places: Uint8Array | null | undefined
  #unpacked: StoredUses | null = null
  #last: Last | null = null
  // Of a name that is defined everywhere hundreds of files are told apart by their paths alone: what else is made when
  // asked for.
  #importFits: Map<string, Map<number, number>> | null = null
  #importedMembers: Map<string, ReadonlySet<string>> | null = null
  #outline: Outline | null = null
  #said: Said | null = null
  #place: Place | null = null
  #folder: string | null = null
  #segments: readonly string[] | null = null
  #segmentsAround: readonly string[] | null = null
  #wanted: Map<string, Wanted> | null = null
  #fits: Map<number, number> | null = null

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
      .filter(({ kind }) => !NAMELESS.has(kind))
      .sort(byPlace)
    return this.#symbols
  }

  /** False where nothing told what it uses: such a file may use anything. */
  get isRead(): boolean {
    return this.#packed() !== null
  }

  /** Of all that it uses. */
  get packedBytes(): number {
    return this.#packed()?.length ?? 0
  }

  usesOf(name: string): readonly Use[] {
    return this.#lastOf(name).uses
  }

  /** Those of them by what extends or implements it. */
  inheritingOf(name: string): readonly Use[] {
    return this.#says.inherited.get(name) ?? []
  }

  /** Where a local of that name is bound. */
  linesDeclaring(name: string): readonly number[] {
    const last = this.#lastOf(name)
    last.declaring ??= last.uses.flatMap(({ flags, line }) => ((flags & USE.declares) === 0 ? [] : [line]))
    return last.declaring
  }

  /** Those within these lines whose flags are wanted; name by name, by line. */
  usesWithin(first: number, last: number, isWanted: (flags: number) => boolean): readonly Use[] {
    return this.#read((stored) => stored.between(first, last, isWanted))
  }

  /** The modules that a name is imported from. */
  modulesOf(name: string): readonly string[] {
    return this.#says.imported.get(name) ?? []
  }

  /** The modules that a name may stand for: those that it is imported from, and those that end so. */
  modulesNamed(name: string): readonly string[] {
    this.#importNames ??= this.imports.map(lastPart)
    const wanted = name.toLowerCase()
    return [...this.modulesOf(name), ...this.imports.filter((_, at) => this.#importNames![at] === wanted)]
  }

  /** Whether a member is imported by its owner's name and its own, as Java's static imports do. */
  importsMember(owner: string, name: string): boolean {
    const modules = this.modulesOf(name)
    if (modules.length === 0) return false
    this.#importedMembers ??= new Map()
    let members = this.#importedMembers.get(name)
    if (!members) {
      members = new Set(modules.map((module) => module.split(".").slice(-2).join(".")))
      this.#importedMembers.set(name, members)
    }
    return members.has(`${owner}.${name}`)
  }

  /** Where a name that has a known value was bound last before a line, in the function around. */
  boundBefore(name: string, line: number): Use | null {
    const typed = this.#says.typed.get(name)
    if (!typed) return null
    const around = this.outline.innermost(line, AROUND.function)
    const from = around < 0 ? 1 : this.outline.at(around).startLine
    return typed.findLast((use) => use.line <= line && use.line >= from) ?? null
  }

  /** What each type of the file extends and implements. */
  basesOf(type: string): ReadonlySet<string> {
    return this.#says.bases.get(type) ?? NOTHING
  }

  get outline(): Outline {
    this.#outline ??= new Outline(this.#store.symbols.outlineOf(this.id), {
      symbolOf: ({ ordinal, index }) => this.#store.symbols.oneOfChunk(this.id, ordinal, index),
      signatureOf: (row) => this.#store.symbols.signatureOf(row, this.id),
    })
    return this.#outline
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
    this.#importFits ??= new Map()
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
    this.#wanted ??= new Map()
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
  get fits(): Map<number, number> {
    this.#fits ??= new Map()
    return this.#fits
  }

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

  #lastOf(name: string): Last {
    if (this.#last?.name !== name)
      this.#last = { name, uses: this.#read((stored) => stored.of(name)), declaring: null }
    return this.#last
  }

  #stored(): StoredUses | null {
    if (this.#unpacked === null) {
      const places = this.#packed()
      if (places === null) return null
      this.#unpacked = new StoredUses(places)
      const at = FileView.#unpackedOnes++ % MOST_UNPACKED
      const last = UNPACKED[at]
      if (last) last.#unpacked = null
      UNPACKED[at] = this
    }
    return this.#unpacked
  }

  #packed(): Uint8Array | null {
    if (this.#places === undefined) this.#places = this.#store.uses.places(this.id)
    return this.#places
  }
}

const NOTHING: ReadonlySet<string> = new Set()

/** Of few files at a time the uses are held unpacked. */
const MOST_UNPACKED = 32
const UNPACKED: FileView[] = []
