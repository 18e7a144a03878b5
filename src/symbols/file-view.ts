import { posix } from "node:path"
import { firstNot } from "../base/index.ts"
import type { Packages } from "../index/index.ts"
import {
  CALLABLES,
  DOCUMENTED_TYPE,
  familyOf,
  importAlias,
  StoredUses,
  subtypeOf,
  TYPES,
  USE,
  type Use,
} from "../parse/index.ts"
import { type OutlineRow, type PlacedFile, readingUses, type Store, type SymbolRow } from "../store/index.ts"
import { isType, NAMELESS } from "./definition.ts"
import { lastPart, moduleWords, pathParts } from "./modules.ts"

/** Cache for the uses of the most recently requested name. */
type LastName = { readonly name: string; readonly uses: readonly Use[] }

/**
 * A file with the data that resolving references needs: its definitions (`symbols`), its uses of a name (`usesOf`), its path
 * and package. Each part is read from the store on first use.
 */
export class FileView {
  static #unpackedOnes = 0
  readonly id: number
  readonly path: string
  readonly flags: number
  readonly package: string | null
  readonly family: string
  readonly language: string
  readonly #store: Store
  readonly #packages: Packages | null
  #imports: string | readonly string[]
  #importNames: readonly string[] | null = null
  #symbols: readonly SymbolRow[] | null = null
  #places: Uint8Array | null | undefined
  #unpacked: StoredUses | null = null
  #last: LastName | null = null
  // The fields below are created on first use, because a name with many definitions occurs in hundreds of files, and
  // the paths alone rule out most of them.
  #outline: Outline | null = null
  #factsRead: UseFacts | null = null
  #folder: string | null = null
  #segments: readonly string[] | null = null
  #segmentsAround: readonly string[] | null = null

  constructor(store: Store, file: PlacedFile, packages: Packages | null = null) {
    this.#store = store
    this.#packages = packages
    this.id = file.id
    this.path = file.path
    this.flags = file.flags
    this.package = file.language === "swift" ? swiftModule(file.path) : file.package
    this.#imports = file.imports ?? "[]"
    this.language = file.language
    this.family = familyOf(file.language)
  }

  get imports(): readonly string[] {
    if (typeof this.#imports === "string") this.#imports = JSON.parse(this.#imports) as string[]
    return this.#imports
  }

  /** Symbols that code can refer to by name, in the order of their positions. */
  get symbols(): readonly SymbolRow[] {
    this.#symbols ??= this.#store.symbols
      .ofFile(this.id)
      .filter(({ kind }) => !NAMELESS.has(kind))
      .sort(byPlace)
    return this.#symbols
  }

  /** True when the file's uses are recorded in the index. A file without recorded uses might use any name. */
  get isRead(): boolean {
    return this.#packed() !== null
  }

  /** Size in bytes of the file's uses as stored; 0 if it has none. */
  get packedBytes(): number {
    return this.#packed()?.length ?? 0
  }

  usesOf(name: string): readonly Use[] {
    return this.#lastOf(name).uses
  }

  /** The uses of a name in `extends` and `implements` clauses. */
  inheritingOf(name: string): readonly Use[] {
    return this.#facts.inherited.get(name) ?? []
  }

  /** Uses on these lines whose flags satisfy `isWanted`; grouped by name, then by line. */
  usesWithin(first: number, last: number, isWanted: (flags: number) => boolean): readonly Use[] {
    return this.#read((stored) => stored.between(first, last, isWanted))
  }

  /** The name of a type where it is defined, for the alias that an import of the file gives it. */
  importedName(alias: string): string {
    return this.#facts.imported.get(importAlias(alias))?.[0] ?? alias
  }

  /** The modules that a name is imported from. */
  modulesOf(name: string): readonly string[] {
    return this.#facts.imported.get(name) ?? []
  }

  /**
   * The modules that a name may refer to: those from which the name is imported, and imported modules whose last word
   * is the name.
   */
  modulesNamed(name: string): readonly string[] {
    this.#importNames ??= this.imports.map(lastPart)
    const wanted = name.toLowerCase()
    return [...this.modulesOf(name), ...this.imports.filter((_, at) => this.#importNames![at] === wanted)]
  }

  /**
   * The binding of a name that is in force on a line: the last one at or before the line whose scope contains it. Its path
   * says which value is bound. Null when there is none, or when its value is unknown.
   */
  boundBefore(name: string, line: number): Use | null {
    const typed = this.#facts.typed.get(name)
    if (!typed) return null
    const around = this.outline.innermost(line, AROUND.function)
    const from = around < 0 ? 1 : this.outline.at(around).startLine
    const bound = typed.findLast(
      (use) => use.line <= line && (use.until === undefined ? use.line >= from : use.until >= line),
    )
    return bound === undefined || bound.qualifier === null ? null : bound
  }

  /** The type that a JSDoc comment states for the value or the result of the definition on a line, as written. */
  documentedType(line: number): string | null {
    return this.#facts.typed.get(DOCUMENTED_TYPE)?.find((use) => use.line === line)?.qualifier ?? null
  }

  /** The uses by which a type of this file extends and implements others. */
  baseUsesOf(type: string): readonly Use[] {
    return this.#facts.bases.get(type) ?? []
  }

  /** The names of the types that a type of this file extends and implements. */
  basesOf(type: string): ReadonlySet<string> {
    return new Set(this.baseUsesOf(type).map(useName))
  }

  get outline(): Outline {
    this.#outline ??= new Outline(this.#store.symbols.outlineOf(this.id), {
      symbolOf: ({ ordinal, index }) => this.#store.symbols.oneOfChunk(this.id, ordinal, index),
      signatureOf: (row) => this.#store.symbols.signatureOf(row, this.id),
    })
    return this.#outline
  }

  /** True for a module that a manifest of the project defines. */
  isOfProject(module: string): boolean {
    return (this.#packages?.targetsOf(module, this.path, this.family) ?? null) !== null
  }

  /** False if the build of the project keeps this file from using another one. */
  mayUse({ path }: FileView): boolean {
    return this.#packages?.mayUse(this.path, path) !== false
  }

  /** The parts of this file's path and package by which other files may refer to it; see `segmentsOf`. */
  get segments(): readonly string[] {
    this.#segments ??= segmentsOf(this)
    return this.#segments
  }

  /** The path parts (see `segments`) of the files in the same folder or package, and of those that this file may import. */
  get segmentsAround(): readonly string[] {
    this.#segmentsAround ??= segmentsAround(this)
    return this.#segmentsAround
  }

  get folder(): string {
    this.#folder ??= posix.dirname(this.path)
    return this.#folder
  }

  /** The path without its extension. */
  get bare(): string {
    return this.path.replace(/(?:\.d)?\.\w+$/, "")
  }

  get #facts(): UseFacts {
    this.#factsRead ??= factsIn(this.#read((stored) => stored.typeUses()))
    return this.#factsRead
  }

  #read(read: (stored: StoredUses) => Use[]): readonly Use[] {
    return readingUses(this.path, () => {
      const stored = this.#stored()
      return stored === null ? [] : read(stored)
    })
  }

  #lastOf(name: string): LastName {
    if (this.#last?.name !== name) this.#last = { name, uses: this.#read((stored) => stored.of(name)) }
    return this.#last
  }

  #stored(): StoredUses | null {
    if (this.#unpacked === null) {
      const places = this.#packed()
      if (places === null) return null
      this.#unpacked = new StoredUses(places)
      const at = FileView.#unpackedOnes++ % MAX_UNPACKED
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

/** Number of files whose unpacked uses are kept in memory. */
const MAX_UNPACKED = 32
const UNPACKED: FileView[] = []

/** The module of Swift that has a file: its folder below Sources or Tests; otherwise all files are one module. */
function swiftModule(path: string): string {
  return /(?:^|\/)(?:Sources|Tests)\/([^/]+)\//.exec(path)?.[1] ?? ""
}

/**
 * The names by which other files may refer to a file. For `src/Shop/Cart.java` in the package `Shop.web` these are the
 * parts of the path in lower case (`src`, `shop`, `cart`), the folder with a slash (`src/Shop/`), and the package, once
 * after an equals sign (`=Shop.web`) and once in lower case.
 */
function segmentsOf({ path, bare, folder, package: name }: FileView): readonly string[] {
  const parts = pathParts(path, bare)
  // A list of this length is searched faster than a set is built.
  const segments: string[] = []
  const add = (segment: string) => {
    if (!segments.includes(segment)) segments.push(segment)
  }
  for (const part of parts) add(part)
  add(`${folder}/`)
  if (name !== null) {
    add(`=${name}`)
    add(name.toLowerCase())
  }
  return segments
}

/** Segments of the files in the same folder or package, and of the files that the imports may refer to. */
function segmentsAround(file: FileView): readonly string[] {
  const around = new Set([`${file.folder}/`, `=${file.package}`])
  for (const module of file.imports) {
    const words = RELATIVE.test(module)
      ? posix.join(file.folder, module).toLowerCase().split("/")
      : moduleWords(module)
    for (const word of words.slice(-2)) around.add(word.replace(/(?<=.)\.\w+$/, ""))
    around.add(`=${module}`)
  }
  return [...around]
}

const RELATIVE = /^\.\.?(?:\/|$)/

/** Facts derived from a file's uses: imports, inheritance and bindings by name. */
type UseFacts = {
  /** The modules that each name is imported from. */
  readonly imported: ReadonlyMap<string, readonly string[]>
  /** The uses by which each type extends others. */
  readonly bases: ReadonlyMap<string, readonly Use[]>
  /** The uses of each name that extend or implement it. */
  readonly inherited: ReadonlyMap<string, readonly Use[]>
  /** Bindings of each name, with the path of the value. */
  readonly typed: ReadonlyMap<string, readonly Use[]>
}

function factsIn(uses: readonly Use[]): UseFacts {
  return {
    imported: importedBy(uses),
    bases: Map.groupBy(uses.filter(isBase), (use) => subtypeOf(use) ?? ""),
    inherited: Map.groupBy(uses.filter(isBase), useName),
    typed: Map.groupBy(uses.filter(isBound).map(asLocal), useName),
  }
}

function useName({ name }: Use): string {
  return name
}

function isBase({ flags }: Use): boolean {
  return (flags & USE.base) !== 0
}

function isBound({ flags, qualifier, path, until }: Use): boolean {
  if (until !== undefined) return true
  return (flags & (USE.declares | USE.narrows)) !== 0 && (qualifier !== null || (path ?? null) !== null)
}

/**
 * Where `{ name } = value` binds a local variable, returns the use with `value.name` as its value; otherwise returns
 * the use unchanged.
 */
function asLocal(use: Use): Use {
  const isMember = (use.flags & USE.member) !== 0 && use.path
  return isMember ? { ...use, qualifier: `${use.path}.${use.name}` } : use
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

/** Groups of enclosing symbols, as bits. A symbol may be in several groups. */
export const AROUND = {
  callable: 1,
  /** A function or method, not a macro. */
  function: 2,
  /** A type, or a function that belongs to one. */
  typeOrMember: 4,
  /** A function or type, not a module. */
  holder: 8,
} as const

/** Reads columns of a symbol that the outline does not keep; null when the symbol no longer exists. */
type OutlineReads = {
  readonly symbolOf: (row: OutlineRow) => SymbolRow | null
  readonly signatureOf: (row: OutlineRow) => string | null
}

/**
 * First and last lines of a file's functions and types. They are in memory, because enclosing symbols are requested far
 * more often than signatures, which are read from the store when they are needed. A "place" is an index into the
 * symbols sorted by first line, then longest first.
 */
export class Outline {
  readonly #rows: OutlineRow[] = []
  readonly #groups: number[] = []
  /**
   * For each place, the largest last line of the symbols up to it. If that is before a given line, none of these
   * symbols contains the line.
   */
  readonly #reaches: number[] = []
  readonly #fields: OutlineRow[] = []
  /** Functions that contain symbols which belong to them: JavaScript's constructors with `this.open = function () {…}`. */
  readonly #makers = new Set<OutlineRow>()
  readonly #reads: OutlineReads
  #names: ReadonlySet<string> | null = null
  #holders: ReadonlyMap<string, readonly OutlineRow[]> | null = null
  #symbols: Map<OutlineRow, SymbolRow | null> | null = null
  #signatures: Map<OutlineRow, string | null> | null = null

  constructor(symbols: OutlineRow[], reads: OutlineReads) {
    this.#reads = reads
    const callables = new Map<string, number>()
    for (const row of isInOrder(symbols) ? symbols : symbols.sort(byPlace)) {
      const groups = GROUPS.get(row.kind)
      if (groups !== undefined) this.#addHolder(row, groups, callables)
      else if (FIELDS.has(row.kind)) this.#fields.push(row)
    }
  }

  /** Adds a function or type. `callables` maps the names of the functions added so far to their places. */
  #addHolder(row: OutlineRow, groups: number, callables: Map<string, number>): void {
    if (row.owner !== null) this.#noteMaker(callables.get(row.owner), row)
    if ((groups & AROUND.function) !== 0) callables.set(row.name, this.#rows.length)
    this.#rows.push(row)
    this.#groups.push(row.owner === null ? groups : groups | AROUND.typeOrMember)
    this.#reaches.push(Math.max(this.#reaches.at(-1) ?? 0, row.endLine))
  }

  /** Records that the function at a place owns a symbol, if the function contains the symbol. */
  #noteMaker(place: number | undefined, { endLine }: OutlineRow): void {
    if (place === undefined || this.#rows[place]!.endLine < endLine) return
    this.#makers.add(this.#rows[place]!)
    this.#groups[place]! |= AROUND.typeOrMember
  }

  /** Place of the innermost symbol of a group that contains the lines from `line` to `until`; -1 when there is none. */
  innermost(line: number, group: number, until = line): number {
    for (let at = this.#startedBy(line) - 1; at >= 0 && this.#reaches[at]! >= until; at--)
      if (this.#rows[at]!.endLine >= until && (this.#groups[at]! & group) !== 0) return at
    return -1
  }

  at(place: number): OutlineRow {
    return this.#rows[place]!
  }

  /** The innermost function or type around a line; null when there is none. */
  around(line: number): OutlineRow | null {
    const place = this.innermost(line, AROUND.holder)
    return place < 0 ? null : this.at(place)
  }

  /** The innermost function or type around a line, like `around`, but with all columns of its row. */
  enclosing(line: number): SymbolRow | null {
    const around = this.around(line)
    return around === null ? null : this.#symbolOf(around)
  }

  /** The functions around a line, and the fields and variables around these or, where there are none, around the line. */
  holding(line: number): SymbolRow[] {
    const isAround = (row: OutlineRow) => row.startLine <= line && line <= row.endLine
    const functions = this.#rows.filter(
      (row, at) => isAround(row) && (this.#groups[at]! & AROUND.function) !== 0,
    )
    const fields = this.#fields.filter(
      (field) =>
        isAround(field) &&
        functions.every((row) => field.startLine <= row.startLine && row.endLine <= field.endLine),
    )
    return [...functions, ...fields].flatMap((row) => this.#symbolOf(row) ?? [])
  }

  #symbolOf(row: OutlineRow): SymbolRow | null {
    this.#symbols ??= new Map()
    return readOnce(row, this.#symbols, this.#reads.symbolOf)
  }

  /**
   * Name of the type that a line belongs to: the innermost enclosing type; inside a method, the type that owns it;
   * inside a JavaScript constructor function, the name of that function. Null when there is none.
   */
  enclosingType(line: number): string | null {
    const place = this.innermost(line, AROUND.typeOrMember)
    if (place < 0) return null
    const around = this.at(place)
    return isType(around) || this.#makers.has(around) ? around.name : around.owner
  }

  /** The row of a member's owner: the innermost one of that name around the member, else the first of the file. */
  ownerOf({
    owner,
    startLine,
    endLine,
  }: Pick<OutlineRow, "owner" | "startLine" | "endLine">): OutlineRow | null {
    this.#holders ??= Map.groupBy([...this.#rows, ...this.#fields], ({ name }) => name)
    // A constructor, which has the name of its type, owns nothing.
    const named = (this.#holders.get(owner ?? "") ?? []).filter((row) => row.owner !== row.name)
    const around = named.filter((row) => row.startLine <= startLine && row.endLine >= endLine)
    return around.findLast(isType) ?? around.at(-1) ?? named.find(isType) ?? named[0] ?? null
  }

  /** The name of the type around the first type of a name; null if there is none. */
  ownerOfType(name: string): string | null {
    return this.#rows.find((row) => row.name === name && isType(row))?.owner ?? null
  }

  /** True when the line is inside a module whose body is in this file. */
  isInModule(line: number): boolean {
    return this.#rows.some(
      ({ kind, startLine, endLine }) => kind === "module" && startLine < line && line < endLine,
    )
  }

  /** True when a module of that name has a body in this file. */
  hasModule(name: string): boolean {
    return this.#rows.some((row) => row.kind === "module" && row.name === name)
  }

  /** The innermost module whose body contains the lines from `line` to `until`; null when there is none. */
  moduleAround(line: number, until = line): OutlineRow | null {
    return (
      this.#rows.findLast(
        ({ kind, startLine, endLine }) => kind === "module" && startLine < line && until < endLine,
      ) ?? null
    )
  }

  /** The signature of a row; null when it no longer exists. */
  signatureOf(row: OutlineRow): string | null {
    this.#signatures ??= new Map()
    return readOnce(row, this.#signatures, this.#reads.signatureOf)
  }

  /** True when the file has a symbol of that name without an owner. */
  defines(name: string): boolean {
    this.#names ??= new Set(
      [...this.#rows, ...this.#fields].flatMap((row) => (row.owner === null ? [row.name] : [])),
    )
    return this.#names.has(name)
  }

  /** The file's first field or variable of that name. */
  fieldNamed(name: string): OutlineRow | null {
    return this.#fields.find((field) => field.name === name) ?? null
  }

  /** Number of symbols that begin at or before a line. */
  #startedBy(line: number): number {
    return firstNot(0, this.#rows.length, (i) => this.#rows[i]!.startLine <= line)
  }
}

function readOnce<T>(row: OutlineRow, known: Map<OutlineRow, T>, read: (row: OutlineRow) => T): T {
  let found = known.get(row)
  if (found === undefined) {
    found = read(row)
    known.set(row, found)
  }
  return found
}

type FirstAndLastLine = Pick<OutlineRow, "startLine" | "endLine">

/** Orders symbols by first line; of two on the same line, the longer one comes first. */
function byPlace(one: FirstAndLastLine, other: FirstAndLastLine): number {
  return one.startLine - other.startLine || other.endLine - one.endLine
}

function isInOrder(rows: readonly OutlineRow[]): boolean {
  for (let at = 1; at < rows.length; at++) if (byPlace(rows[at - 1]!, rows[at]!) > 0) return false
  return true
}

const FIELDS: ReadonlySet<string> = new Set(["field", "property", "variable", "constant"])

/** The groups that each kind of enclosing symbol belongs to. */
const GROUPS: ReadonlyMap<string, number> = new Map(
  [...CALLABLES, ...TYPES].map((kind) => {
    const groups =
      (CALLABLES.has(kind) ? AROUND.callable : 0) |
      (kind === "function" || kind === "method" ? AROUND.function : 0) |
      (TYPES.has(kind) ? AROUND.typeOrMember : 0) |
      (kind === "module" ? 0 : AROUND.holder)
    return [kind, groups]
  }),
)
