/**
 * What a name in a file leads to, followed by the language's own rules: definitions of the file, an import, the folder
 * or package, imports of everything. The end is definitions of one identity, "outside" of the project, or open: then
 * nothing but the name connects the candidates with it.
 */

import { nameRules, type Use } from "../parse/index.ts"
import type { SymbolRow } from "../store/index.ts"
import {
  isAnonymousMethod,
  isAssociatedType,
  isConstructor,
  isImportedType,
  isNamed,
  isType,
  type SymbolDefinition,
} from "./definition.ts"
import type { FileView } from "./file-view.ts"
import {
  followsImports,
  type Lead as ImportLead,
  type Imports,
  isConstant,
  scopesImports,
} from "./imports.ts"
import { namespaceOf, outerName, wholeName } from "./whole-names.ts"

/** The end of a chain. `definitions` of a certain lead have one identity; those of an open one are candidates. */
export type Lead = {
  readonly end: "certain" | "outside" | "open"
  readonly definitions: readonly SymbolDefinition[]
  /** True for an open lead whose candidates agree with the name alone. */
  readonly isByName?: true
}

function byName(definitions: readonly SymbolDefinition[]): Lead {
  return { end: "open", definitions, isByName: true }
}

/** True if a symbol, read from the store at any time, is among definitions. */
export function includes(definitions: readonly SymbolDefinition[], symbol: SymbolRow): boolean {
  const { fileId, ordinal, index } = symbol
  return definitions.some(
    (each) => each.symbol.fileId === fileId && each.symbol.ordinal === ordinal && each.symbol.index === index,
  )
}

const OUTSIDE: Lead = { end: "outside", definitions: [] }
const OPEN: Lead = { end: "open", definitions: [] }

/** What following a name needs to know of the project. */
type Project = {
  /** All definitions of a name. */
  readonly definitionsOf: (name: string) => readonly SymbolDefinition[]
  readonly imports: () => Imports
  /** Ids of the files in which one of the types `among` extends the type `base`. */
  readonly idsExtending: (base: string, among: ReadonlySet<string>) => readonly number[]
  readonly files: (ids: readonly number[]) => readonly FileView[]
  /** Names of the types that a type extends, according to any file. */
  readonly basesOf: (type: string) => Iterable<string>
}

/** A type and the types that it extends. */
export type Lineage = {
  /** The identities of the types, with the number of steps from the first one. */
  readonly levels: ReadonlyMap<string, number>
  /** Names of the types, with those of bases whose definitions are not known. */
  readonly names: ReadonlySet<string>
  /** True if one of the bases is outside of the project or not known. */
  readonly isOpen: boolean
}

/** Names of type parameters by convention: `T`, `K2`, `TItem`. */
const TYPE_PARAMETER = /^[A-Z][A-Z0-9]?$|^T[A-Z]/

const MAX_LEVELS = 6

export class Names {
  readonly #project: Project
  readonly #leads = new WeakMap<FileView, Map<string, Lead>>()
  readonly #lines = new Map<string, Lineage>()
  readonly #owners = new WeakMap<SymbolRow, string>()

  constructor(project: Project) {
    this.#project = project
  }

  /** The identity of a definition without an owner, or of a type: all definitions with this text are one. */
  identityOf(definition: SymbolDefinition): string {
    const { symbol, file } = definition
    if (file.family === "ruby") return `${isType(symbol) ? "ruby" : file.path} ${wholeName(definition)}`
    return `${scopeOf(file)} ${symbol.owner ?? ""} ${symbol.name}`
  }

  /** The identity of any definition; a constructor is one with its type. */
  keyOf(definition: SymbolDefinition): string {
    const { symbol } = definition
    if (symbol.owner === null || isType(symbol)) return this.identityOf(definition)
    const owner = this.ownerOf(definition)
    return isConstructor(symbol) ? owner : `${owner} ${symbol.name}`
  }

  /** The identity of the type that owns a member. */
  ownerOf(member: SymbolDefinition): string {
    let owner = this.#owners.get(member.symbol)
    if (owner === undefined) {
      owner = this.#findOwner(member)
      this.#owners.set(member.symbol, owner)
    }
    return owner
  }

  #findOwner({
    symbol,
    file,
  }: {
    readonly symbol: Pick<SymbolRow, "owner" | "startLine" | "endLine">
    readonly file: FileView
  }): string {
    if (file.family === "ruby") return `ruby ${outerName({ symbol, file })}`
    const name = symbol.owner!
    const scope = scopeOf(file)
    const near = file.outline.ownerOf(symbol)
    if (near !== null) return `${scope} ${near.owner ?? ""} ${name}`
    if (!isFileScope(file)) {
      const inScope = this.#ofFamily(name, file).filter(
        (each) => isType(each.symbol) && scopeOf(each.file) === scope,
      )
      return inScope.length > 0 ? this.identityOf(inScope[0]!) : `${scope}  ${name}`
    }
    const { end, definitions } = this.type(name, null, file, symbol.startLine)
    return end === "certain" ? this.identityOf(definitions[0]!) : `${scope}  ${name}`
  }

  /** What a name without a qualifier leads to, if it is no member and no local of the place. */
  global(name: string, file: FileView, line: number | null = null): Lead {
    const place = scopesImports(file.family) ? line : null
    return this.#known(file, `${name} ${place}`, () => this.#global(name, file, isFree, place))
  }

  /** What the name of a type leads to; `qualifier` is the module, package or type before it. */
  type(name: string, qualifier: string | null, file: FileView, line: number): Lead {
    if (qualifier !== null && isNamed(qualifier)) {
      const lead = this.member(qualifier, name, file, line)
      return lead.end === "open" && this.#isUnknownNamespace(qualifier, file) ? OUTSIDE : lead
    }
    const around = file.outline.enclosingType(line)
    const place = scopesImports(file.family) ? line : null
    return this.#known(file, `:${name} ${around} ${place}`, () => this.#type(name, file, around, place))
  }

  /** True for a namespace of C++ before a type if nothing in the project has its first name. */
  #isUnknownNamespace(qualifier: string, file: FileView): boolean {
    const head = /^[?:./]*(\w+)/.exec(qualifier)?.[1]
    return file.family === "c" && head !== undefined && this.#ofFamily(head, file).length === 0
  }

  /** What `name` leads to after the name of a module, a package or a type. */
  member(qualifier: string, name: string, file: FileView, line: number | null = null): Lead {
    const place = scopesImports(file.family) ? line : null
    return this.#known(file, `${qualifier} ${name} ${place}`, () =>
      this.#member(qualifier, name, file, place),
    )
  }

  #known(file: FileView, key: string, find: () => Lead): Lead {
    let leads = this.#leads.get(file)
    if (!leads) {
      leads = new Map()
      this.#leads.set(file, leads)
    }
    let lead = leads.get(key)
    if (lead === undefined) {
      // A chain that comes back to its own question ends open.
      leads.set(key, OPEN)
      lead = find()
      leads.set(key, lead)
    }
    return lead
  }

  /** True if a file is the other one, or imports it by name. */
  knows(file: FileView, home: FileView): boolean {
    return file.id === home.id || this.#project.imports().isModule(file.imports, file, home)
  }

  #ofFamily(name: string, { family }: FileView): readonly SymbolDefinition[] {
    return this.#project.definitionsOf(name).filter(({ file }) => file.family === family)
  }

  #type(name: string, file: FileView, around: string | null, line: number | null): Lead {
    if (isConstantName(name, file)) return this.#constant(name, file, line)
    const { scope } = nameRules(file.family)
    const all = this.#ofFamily(name, file).filter((each) => isType(each.symbol) && !isAssociatedType(each))
    if (scope === null) return this.#global(name, file, isTopType, line)
    if (all.length === 0) {
      const lead = this.#byImports(name, file, line)
      if (lead !== null) return lead
      return this.#ofFamily(name, file).length > 0 || TYPE_PARAMETER.test(name) ? OPEN : OUTSIDE
    }
    const nested = all.filter(({ symbol }) => symbol.owner !== null)
    if (nested.length > 0 && around !== null) {
      const inner = nested.filter(
        (each) =>
          (each.file.id === file.id || (scope !== "file" && sees(file, each.file))) &&
          isInside(around, each.symbol.owner!, file),
      )
      if (inner.length > 0) return this.#one(inner)
    }
    const lead = this.#global(name, file, isTopType, line)
    if (lead.end !== "outside" || nested.length === 0) return lead
    // A nested type may be inherited, or be imported with its outer type.
    return { end: "open", definitions: nested }
  }

  #global(
    name: string,
    file: FileView,
    isMeant: (each: SymbolDefinition) => boolean,
    line: number | null,
  ): Lead {
    if (isConstantName(name, file)) return this.#constant(name, file, line)
    if (file.family === "c") return this.#included(name, file, isMeant, line)
    const all = this.#ofFamily(name, file).filter(isMeant)
    // A module inside a file of Rust sees the names of the file only if it imports them.
    const isInner = file.family === "rust" && line !== null && file.outline.isInModule(line)
    const own = all.filter((each) => each.file.id === file.id && !isImportedType(each.symbol))
    if (own.length > 0 && !isInner) return this.#one(own)
    const rules = nameRules(file.family)
    const imported = this.#byImports(name, file, line)
    if (imported !== null) return imported
    const near = all.filter((each) => sees(file, each.file))
    if (near.length > 0) return this.#one(near)
    const reads = !followsImports(file.family) || rules.importsFiles === true
    const imports = this.#project.imports()
    // The import statements of Clojure have no records, as those of other languages with packages do.
    const isUnread = rules.scope === "package" && imports.bindingsIn(file).length === 0
    const whole = all.filter(({ file: home }) =>
      reads ? imports.includes.reaches(file, home) : isUnread && this.knows(file, home),
    )
    if (whole.length > 0) return rules.importsFiles ? this.#one(whole) : { end: "open", definitions: whole }
    const isKnown = all.every((each) => each.file.package !== "")
    return rules.isStrict === true && isKnown && isStrict(file) ? OUTSIDE : byName(all)
  }

  /** What a name of C or C++ leads to: in the namespaces around it and the opened ones, of the file and what it includes. */
  #included(
    name: string,
    file: FileView,
    isMeant: (each: SymbolDefinition) => boolean,
    line: number | null,
  ): Lead {
    const lead = this.#byImports(name, file, line)
    const meant = lead?.definitions.filter(isMeant) ?? []
    if (meant.length > 0) return lead!.end === "certain" ? this.#one(meant) : { ...lead!, definitions: meant }
    const all = this.#ofFamily(name, file).filter(isMeant)
    const { includes: included } = this.#project.imports()
    // The types of arguments, or a header, may open another namespace.
    const near = all.filter((each) => included.reaches(file, each.file))
    if (near.length > 0) return { end: "open", definitions: near }
    const { isOpen, files } = included.reached(file)
    // Code without a header of the project may call what it does not declare.
    const isKnown = !isOpen && files.size > 1 && !HEADER.test(file.path)
    return isKnown ? OUTSIDE : byName(all)
  }

  /** What a constant of Ruby leads to: by the modules around it, else by the bases of the type around it. */
  #constant(name: string, file: FileView, line: number | null): Lead {
    const lead = this.#byImports(name, file, line)
    if (lead !== null) return lead
    const all = this.#ofFamily(name, file).filter(isConstant)
    const lineage = all.length === 0 || line === null ? null : this.lineAround(file, line)
    const inherited = all.filter(
      (each) => each.symbol.owner !== null && lineage?.levels.has(this.ownerOf(each)),
    )
    if (inherited.length > 0) return this.#one(inherited)
    return lineage?.isOpen === true ? { end: "open", definitions: all } : OUTSIDE
  }

  /** Where the imports of a file lead from a path; null when none binds its first name. */
  #byImports(path: string, file: FileView, line: number | null): Lead | null {
    return this.#end(this.#project.imports().leadsTo(path, file, line), file)
  }

  #end(lead: ImportLead | null, file: FileView): Lead | null {
    if (lead === null) return null
    if (lead.kind === "unknown") return { end: "open", definitions: lead.candidates }
    if (lead.kind !== "definitions") return OUTSIDE
    if (lead.rest.length > 0) return this.#ownMember(lead, file)
    const definitions = lead.definitions.filter((each) => file.mayUse(each.file))
    if (definitions.length === 0) return OUTSIDE
    const { includes: included } = this.#project.imports()
    const near = definitions.filter((each) => file.family !== "c" || included.reaches(file, each.file))
    return near.length === 0 ? { end: "open", definitions } : this.#one(near)
  }

  /** The member that an import path names below a type (`Type.member`); unresolved if only the bases of the type may have it. */
  #ownMember(
    { definitions: [type], rest }: Extract<ImportLead, { kind: "definitions" }>,
    file: FileView,
  ): Lead {
    if (rest.length > 1 || !(isType(type!.symbol) || file.family === "lua")) return OPEN
    const identity = this.identityOf(type!)
    const own = this.#ofFamily(rest[0]!, file).filter(
      (each) => each.symbol.owner === type!.symbol.name && this.ownerOf(each) === identity,
    )
    return own.length > 0 ? this.#one(own) : OPEN
  }

  /** What a name leads to that a file imports from one of these modules. */
  imported(name: string, modules: readonly string[], file: FileView, line: number): Lead {
    if (followsImports(file.family)) {
      const stated = this.#end(this.#project.imports().statedBy(name, modules, file), file)
      return stated ?? this.#byImports(name, file, line) ?? OUTSIDE
    }
    const all = this.#ofFamily(name, file).filter(isFree)
    const named = all.filter((each) => this.#project.imports().isModule(modules, file, each.file))
    const hasRules = nameRules(file.family).scope !== null
    return named.length > 0 && hasRules ? this.#one(named) : { end: "open", definitions: named }
  }

  #member(qualifier: string, name: string, file: FileView, line: number | null): Lead {
    if (followsImports(file.family)) return this.#imports(qualifier.replace(/^[?:]/, ""), name, file, line)
    const all = this.#ofFamily(name, file)
    const modules = file.modulesNamed(qualifier.slice(qualifier.lastIndexOf(".") + 1))
    const named = all.filter(
      (each) => isFree(each) && this.#project.imports().isModule(modules, file, each.file),
    )
    if (named.length === 0) return byName(all)
    return nameRules(file.family).scope === null ? { end: "open", definitions: named } : this.#one(named)
  }

  #imports(path: string, name: string, file: FileView, line: number | null): Lead {
    const lead = this.#byImports(`${path}.${name}`, file, line) ?? OPEN
    if (lead !== OPEN) return lead
    const [head = ""] = path.split(".", 1)
    if (file.family === "c" && head === "std") return OUTSIDE
    if (!isConstantName(head, file)) return this.#nested(path, name, file, line)
    return this.type(head, null, file, line ?? 0).end === "outside" ? OUTSIDE : OPEN
  }

  /** What the name of a type leads to after the name of another type. */
  #nested(path: string, name: string, file: FileView, line: number | null): Lead {
    const inner = this.#ofFamily(name, file).filter(({ symbol }) => symbol.owner !== null && isType(symbol))
    if (inner.length === 0) return OPEN
    const cut = Math.max(path.lastIndexOf("."), path.lastIndexOf("/"))
    const outer = this.type(path.slice(cut + 1), cut < 0 ? null : path.slice(0, cut), file, line ?? 0)
    const [type] = outer.end === "certain" ? outer.definitions : []
    const own = type === undefined ? [] : inner.filter((each) => this.ownerOf(each) === this.identityOf(type))
    return own.length > 0 ? this.#one(own) : OPEN
  }

  #one(found: readonly SymbolDefinition[]): Lead {
    const first = this.identityOf(found[0]!)
    const isOne = found.every((each) => this.identityOf(each) === first)
    return { end: isOne ? "certain" : "open", definitions: found }
  }

  /** The type around a line with all types that it extends; null if there is none. */
  lineAround(file: FileView, line: number): Lineage | null {
    const owner = file.outline.enclosingType(line)
    if (owner === null) return null
    const identity = this.#findOwner({ symbol: { owner, startLine: line, endLine: line }, file })
    const types = this.#ofFamily(owner, file).filter(
      (each) => isType(each.symbol) && this.identityOf(each) === identity,
    )
    return types.length > 0
      ? this.lineage(types)
      : { levels: new Map([[identity, 0]]), names: new Set([owner]), isOpen: true }
  }

  /** A type and all types that it extends, as the definitions say. */
  lineage(definitions: readonly SymbolDefinition[]): Lineage {
    const key = definitions.map((each) => this.identityOf(each)).join()
    let line = this.#lines.get(key)
    if (line === undefined) {
      line = this.#lineage(definitions)
      this.#lines.set(key, line)
    }
    return line
  }

  #lineage(definitions: readonly SymbolDefinition[]): Lineage {
    const levels = new Map<string, number>()
    const names = new Set<string>()
    let isOpen = false
    let layer = definitions
    for (let level = 0; level < MAX_LEVELS && layer.length > 0 && levels.size < 200; level++) {
      const fresh = layer.filter((each) => (levels.get(this.identityOf(each)) ?? level) === level)
      for (const each of fresh) {
        levels.set(this.identityOf(each), level)
        names.add(each.symbol.name)
      }
      const leads = fresh.flatMap((each) => this.#basesOf(each, names))
      isOpen ||= leads.some(({ end }) => end !== "certain")
      layer = leads.flatMap(({ end, definitions: found }) => (end === "certain" ? found : []))
    }
    return { levels, names, isOpen: isOpen || layer.length > 0 }
  }

  /** The bases of a type, each as what its name leads to; their names are added to `names`. */
  #basesOf(type: SymbolDefinition, names: Set<string>): Lead[] {
    const { name } = type.symbol
    const identity = this.identityOf(type)
    const leads: Lead[] = []
    for (const file of this.#filesExtending(type)) {
      if (file.id !== type.file.id) {
        const own = this.type(name, null, file, 0)
        if (own.end !== "certain" || this.identityOf(own.definitions[0]!) !== identity) continue
      }
      for (const use of file.baseUsesOf(name)) {
        names.add(use.name)
        leads.push(this.type(use.name, baseQualifier(use), file, use.line))
      }
    }
    return leads
  }

  /** The file of a type; where other files may extend it too, also these. */
  #filesExtending({ symbol, file }: SymbolDefinition): readonly FileView[] {
    if (!nameRules(file.family).extendsElsewhere) return [file]
    const among = new Set([symbol.name])
    const ids = new Set([file.id])
    for (const base of this.#project.basesOf(symbol.name))
      for (const id of this.#project.idsExtending(base, among)) ids.add(id)
    return this.#project.files([...ids]).filter(({ family }) => family === file.family)
  }
}

export const HEADER = /\.(?:h|hh|hpp|hxx|inc|inl|ipp)$/

function isConstantName(name: string, { family }: FileView): boolean {
  return family === "ruby" && /^\p{Lu}/u.test(name)
}

/** The package, folder or file by which a name is unique. */
function scopeOf(file: FileView): string {
  const { scope } = nameRules(file.family)
  if (scope === "project") return file.family
  if (scope === "folder") return `${file.folder}:${file.package ?? ""}`
  if (scope === "package") return file.package === null ? file.folder : `=${file.package}`
  // A header and its source are one.
  if (file.family === "c") return file.bare
  return file.path
}

function isFileScope({ family }: FileView): boolean {
  const { scope } = nameRules(family)
  return scope === "file" || scope === null
}

function isFree(each: SymbolDefinition): boolean {
  if (each.file.family === "js" && isAnonymousMethod(each.symbol)) return false
  return each.symbol.local === 0 && (each.symbol.owner === null || namespaceOf(each) !== null)
}

function isTopType(each: SymbolDefinition): boolean {
  return isFree(each) && isType(each.symbol)
}

/** True if the type `around` is `owner`, or is nested in it. */
function isInside(around: string, owner: string, file: FileView): boolean {
  let name: string | null = around
  for (let depth = 0; name !== null && depth < MAX_LEVELS; depth++) {
    if (name === owner) return true
    name = file.outline.ownerOfType(name)
  }
  return false
}

/** The module or type before the name of a base, as in `class A(nn.Module)`; null if there is none. */
function baseQualifier({ qualifier }: Use): string | null {
  const end = qualifier?.lastIndexOf(" ") ?? -1
  return end < 0 ? null : qualifier!.slice(end + 1)
}

/** True if code in `file` sees the names of `home` without an import. */
function sees(file: FileView, home: FileView): boolean {
  if (!file.mayUse(home)) return false
  const { scope } = nameRules(file.family)
  if (scope === "package" && file.package !== null && home.package !== null) {
    // The names of an outer namespace are visible in C#.
    return file.language === "csharp"
      ? file.package === home.package || file.package.startsWith(`${home.package}.`)
      : file.package === home.package
  }
  return (scope === "folder" || scope === "package") && scopeOf(file) === scopeOf(home)
}

function isStrict({ language, package: own, family }: FileView): boolean {
  if (nameRules(family).scope === "package" && (own === null || own === "")) return false
  return language !== "scala" && language !== "groovy" && language !== "clojure"
}
