/**
 * What a name in a file leads to, followed by the language's own rules: definitions of the file, an import, the folder
 * or package, imports of everything. The end is definitions of one identity, "outside" of the project, or open: then
 * nothing but the name connects the candidates with it.
 */

import { posix } from "node:path"
import { nameRules, type Use } from "../parse/index.ts"
import type { SymbolRow } from "../store/index.ts"
import {
  isAssociatedType,
  isConstructor,
  isImportedType,
  isNamed,
  isType,
  type SymbolDefinition,
} from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { followsImports, type Lead as ImportLead, type Imports, scopesImports } from "./imports.ts"

/** The end of a chain. `definitions` of a certain lead have one identity; those of an open one are candidates. */
export type Lead = {
  readonly end: "certain" | "outside" | "open"
  readonly definitions: readonly SymbolDefinition[]
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
  identityOf({ symbol, file }: SymbolDefinition): string {
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
    if (qualifier !== null && isNamed(qualifier)) return this.member(qualifier, name, file, line)
    const around = file.outline.enclosingType(line)
    const place = scopesImports(file.family) ? line : null
    return this.#known(file, `:${name} ${around} ${place}`, () => this.#type(name, file, around, place))
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

  #ofFamily(name: string, { family }: FileView): readonly SymbolDefinition[] {
    return this.#project.definitionsOf(name).filter(({ file }) => file.family === family)
  }

  #type(name: string, file: FileView, around: string | null, line: number | null): Lead {
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
    const all = this.#ofFamily(name, file).filter((each) => isMeant(each) && isOpened(file, each))
    // A module inside a file of Rust sees the names of the file only if it imports them.
    const isInner = file.family === "rust" && line !== null && file.outline.isInModule(line)
    const own = all.filter((each) => each.file.id === file.id && !isImportedType(each.symbol))
    if (own.length > 0 && !isInner) return this.#one(own)
    const rules = nameRules(file.family)
    if (rules.scope === null) return { end: "open", definitions: all }
    const imported = followsImports(file.family)
      ? this.#byImports(name, file, line)
      : this.#imported(file.modulesOf(name), file, all)
    if (imported !== null) return imported
    const near = all.filter((each) => sees(file, each.file))
    if (near.length > 0) return this.#one(near)
    const whole = all.filter((each) => importsAll(file, each.file))
    if (whole.length > 0) return this.#one(whole)
    return rules.isStrict === true && isStrict(file) ? OUTSIDE : { end: "open", definitions: all }
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
    return definitions.length === 0 ? OUTSIDE : this.#one(definitions)
  }

  /** The member that an import path names below a type (`Type.member`); unresolved if only the bases of the type may have it. */
  #ownMember(
    { definitions: [type], rest }: Extract<ImportLead, { kind: "definitions" }>,
    file: FileView,
  ): Lead {
    if (rest.length > 1 || !isType(type!.symbol)) return OPEN
    const identity = this.identityOf(type!)
    const own = this.#ofFamily(rest[0]!, file).filter(
      (each) => each.symbol.owner === type!.symbol.name && this.ownerOf(each) === identity,
    )
    return own.length > 0 ? this.#one(own) : OPEN
  }

  /** What a name leads to that a file imports from one of these modules. */
  imported(name: string, modules: readonly string[], file: FileView, line: number): Lead {
    if (nameRules(file.family).scope === null) return OPEN
    if (followsImports(file.family)) {
      const stated = this.#end(this.#project.imports().statedBy(name, modules, file), file)
      return stated ?? this.#byImports(name, file, line) ?? OUTSIDE
    }
    return this.#known(
      file,
      `import ${name} ${modules.join()}`,
      () => this.#imported(modules, file, this.#ofFamily(name, file).filter(isFree)) ?? OPEN,
    )
  }

  /** Null when there are no modules. */
  #imported(modules: readonly string[], file: FileView, all: readonly SymbolDefinition[]): Lead | null {
    if (modules.length === 0) return null
    const exact = all.filter((each) => modules.some((module) => leadsTo(file, module, each)))
    if (exact.length > 0) return this.#one(exact)
    return modules.every((module) => leadsOut(file, module, all))
      ? OUTSIDE
      : { end: "open", definitions: all }
  }

  #member(qualifier: string, name: string, file: FileView, line: number | null): Lead {
    if (followsImports(file.family)) {
      const path = qualifier.replace(/^[?:]/, "")
      const lead = this.#byImports(`${path}.${name}`, file, line) ?? OPEN
      return lead === OPEN ? this.#nested(path, name, file, line) : lead
    }
    const all = this.#ofFamily(name, file)
    if (file.family === "c") return this.#inNamespace(qualifier, name, file)
    const modules = file.modulesNamed(qualifier)
    if (modules.length > 0 && nameRules(file.family).scope !== null) {
      const free = all.filter(isFree)
      const exact = free.filter((each) => modules.some((module) => isModule(file, module, each.file)))
      if (exact.length > 0) return this.#one(exact)
      if (modules.every((module) => leadsOut(file, module, all))) return OUTSIDE
    }
    return { end: "open", definitions: all }
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

  /** What a name leads to after a namespace of C++. */
  #inNamespace(qualifier: string, name: string, file: FileView): Lead {
    const path = qualifier.replace(/[./]/g, "::")
    const all = this.#ofFamily(name, file).filter((each) => {
      const namespace = namespaceOf(each)
      return namespace !== null && (`::${namespace}`.endsWith(`::${path}`) || path.endsWith(`::${namespace}`))
    })
    if (all.length > 0) return this.#one(all)
    return /^(?:::)?std(?:::|$)/.test(path) ? OUTSIDE : OPEN
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

/** The package, folder or file by which a name is unique. */
function scopeOf(file: FileView): string {
  const { scope } = nameRules(file.family)
  if (scope === "project") return file.family
  if (scope === "folder") return `${file.folder}:${file.package ?? ""}`
  if (scope === "package") return file.package === null ? file.folder : `=${file.package}`
  // A header and its source are one.
  if (file.family === "c") return file.place.bare
  return file.path
}

function isFileScope({ family }: FileView): boolean {
  const { scope } = nameRules(family)
  return scope === "file" || scope === null
}

function isFree(each: SymbolDefinition): boolean {
  return each.symbol.local === 0 && (each.symbol.owner === null || namespaceOf(each) !== null)
}

/** The namespace of C++ around a definition that is no member of a type; else null. */
export function namespaceOf({ symbol, file }: SymbolDefinition): string | null {
  if (file.family !== "c" || symbol.owner === null) return null
  return file.outline.ownerOf(symbol)?.kind === "module" ? symbol.owner : null
}

/** True if a file can name what is in a namespace without it: it has a part of the namespace, or a word that opens it. */
function opensNamespace(file: FileView, name: string): boolean {
  return file.outline.hasModule(name) || file.usesOf(name.slice(name.lastIndexOf(":") + 1)).length > 0
}

function isOpened(file: FileView, each: SymbolDefinition): boolean {
  const namespace = namespaceOf(each)
  return namespace === null || opensNamespace(file, namespace)
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
  return scope !== "file" && scope !== null && scopeOf(file) === scopeOf(home)
}

/** True if `file` imports all names of `home`'s package or module at once. */
function importsAll(file: FileView, home: FileView): boolean {
  const all = nameRules(file.family).importsFiles
    ? file.imports
    : [...file.modulesOf("."), ...file.modulesOf("*")]
  return all.some((module) => isModule(file, module, home))
}

/** True if an import of a name from `module` leads to this definition, exactly. */
function leadsTo(file: FileView, module: string, { symbol, file: home }: SymbolDefinition): boolean {
  const { scope } = nameRules(file.family)
  if (scope === "package" && home.package !== null) {
    if (!file.mayUse(home)) return false
    const { length } = home.package
    return (
      module.startsWith(home.package) &&
      module.length === length + 1 + symbol.name.length &&
      module.endsWith(symbol.name)
    )
  }
  return isModule(file, module, home)
}

/** True if `module`, as the file imports it, is the file `home`, exactly. */
export function isModule(file: FileView, module: string, home: FileView): boolean {
  if (nameRules(file.family).scope === "package") return home.package !== null && module === home.package
  const query = file.importQuery(module)
  if ("target" in query) return file.fit([module], home) === 1
  if ("targets" in query && query.targets.isGuess !== true) return file.fit([module], home) === 1
  if (file.family === "c") return home.place.bare === posix.join(file.folder, module.replace(/\.\w+$/, ""))
  if (file.family === "python" || file.family === "lua")
    return isBelowAncestor(file, module.replaceAll(".", "/"), home)
  return false
}

/** True if `home` is `module` seen from a folder around the file, or from a source folder there. */
function isBelowAncestor(file: FileView, module: string, home: FileView): boolean {
  const { folder } = home.place
  if (folder !== module && !folder.endsWith(`/${module}`)) return false
  const root = folder.slice(0, folder.length - module.length)
  return file.path.startsWith(root.replace(/(?:^|\/)(?:src|lib|python)\/$/, "/").replace(/^\/$/, ""))
}

/** True if a module is certainly outside of the project, whose definitions of the name are `all`. */
function leadsOut(file: FileView, module: string, all: readonly SymbolDefinition[]): boolean {
  const { scope, isStrict } = nameRules(file.family)
  const query = file.importQuery(module)
  if ("target" in query || ("targets" in query && query.targets.isGuess !== true)) return false
  if (scope === "package")
    return (
      isStrict === true &&
      all.every(({ file: home }) => home.package !== null && !module.includes(home.package))
    )
  return all.every(({ file: home }) => file.fit([module], home) === 0)
}

function isStrict({ language, package: own, family }: FileView): boolean {
  if (nameRules(family).scope === "package" && own === null) return false
  return language !== "scala" && language !== "groovy" && language !== "clojure"
}
