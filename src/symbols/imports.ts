/**
 * Follows an import to its end: from the name that a file imports, through the module that the import names and the
 * modules that export the name again, to the definitions of one thing, or out of the project. The records of
 * import-list.ts say what each statement binds, and packages.ts which files a module may be. `LANGUAGES` has the rules of
 * each language family.
 */

import {
  IMPORT_LIST,
  type ImportBinding,
  importBindings,
  OWN_MODULE,
  PART_OF,
  USED_MACRO,
  WHOLE,
} from "../parse/index.ts"
import type { SymbolRow } from "../store/index.ts"
import { isType, type SymbolDefinition } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { Includes } from "./includes.ts"
import type { ModuleFiles, ModuleFinder } from "./module-files.ts"
import { hasWholeNames, joined, nameAround, namespaceOf, wholeName } from "./whole-names.ts"

/** Where a name leads that a file imports. */
export type Lead =
  | {
      readonly kind: "definitions"
      /** Definitions of one thing: overloads, a type and a value of one name, parts of one type. */
      readonly definitions: readonly SymbolDefinition[]
      /** The steps of the path after the definitions: `["open"]` for `Shop.open`, of which `Shop` is imported. */
      readonly rest: readonly string[]
    }
  /** The name stands for a module, a namespace or a package of the project. */
  | { readonly kind: "module"; readonly module: Module }
  /** The import leads to a library, to a module without such a name, or to something else that is not in the index. */
  | { readonly kind: "outside"; readonly module: string }
  /** The import may lead to these definitions; it cannot be followed to its end. */
  | { readonly kind: "unknown"; readonly candidates: readonly SymbolDefinition[] }

/** A module of the project. */
export type Module = {
  /** The files that define its names; empty for a namespace that is only known by its folder or package. */
  readonly files: readonly FileView[]
  /** The folder whose files are its members: a package of Go or Python; null when there is none. */
  readonly folder: string | null
  /**
   * The package or namespace whose definitions are its members, in languages that name them; the module inside a file of
   * Rust; else null.
   */
  readonly package: string | null
  /** How the module is named in code. */
  readonly name: string
  readonly family: string
}

/** What following an import needs of the graph. */
export type ImportSources = {
  readonly file: (path: string) => FileView | null
  /** All definitions of a name. */
  readonly definitionsOf: (name: string) => readonly SymbolDefinition[]
  /** The definitions of a name in one file. */
  readonly definedIn: (name: string, file: FileView) => readonly SymbolDefinition[]
  readonly modules: ModuleFinder
  /** The package that the files in a folder name; null when none does. */
  readonly packageIn: (folder: string) => string | null
}

/** What the import statements of one file bind. */
type FileImports = {
  readonly all: readonly ImportBinding[]
  /** The imports of every name of a module. */
  readonly stars: readonly ImportBinding[]
}

/** Max number of modules in which one name is looked up, and of modules one behind the other. */
const MAX_LOOKUPS = 2_000
/** Max number of `export *` of one module that are followed. */
const MAX_STARS = 200

/**
 * The names that are being looked up, so that modules which import each other end the search. `cuts`: how often that
 * ended a search, whose result then depends on where it began.
 */
type Trail = { readonly open: Set<string>; left: number; cuts: number }

function newTrail(): Trail {
  return { open: new Set(), left: MAX_LOOKUPS, cuts: 0 }
}

/** The results are valid for one state of the index. */
export class Imports {
  readonly includes: Includes
  readonly #sources: ImportSources
  readonly #leads = new WeakMap<FileView, Map<string, Lead | null>>()
  readonly #files = new WeakMap<FileView, FileImports>()
  readonly #members = new Map<string, Lead | null>()
  /** What modules mean, by the list in which a file has them. */
  readonly #places = new WeakMap<readonly string[], ReadonlySet<string>>()
  /** The aliases that are being followed, so that those which name each other end. */
  readonly #aliases = new Set<SymbolRow>()

  constructor(sources: ImportSources) {
    this.#sources = sources
    this.includes = new Includes(sources)
  }

  /**
   * Where a name of a file leads by its imports, or a path that begins with such a name: `Cart`, `shop.Cart`. The name
   * is as uses store it. Null when no import of the file binds the name.
   */
  leadsTo(path: string, file: FileView, line: number | null = null): Lead | null {
    let known = this.#leads.get(file)
    if (!known) {
      known = new Map()
      this.#leads.set(file, known)
    }
    const language = LANGUAGES[file.family]
    if (language === undefined) return null
    const scope = language.scopeOf?.(line, file) ?? ""
    const key = `${path} ${scope}`
    let lead = known.get(key)
    if (lead === undefined) {
      const steps = path.split(SEPARATOR).filter((step) => step !== "" && step !== language.root)
      lead = this.#follow(steps, file, language, line)
      known.set(key, lead)
    }
    return lead
  }

  /** Where an import statement of one of these modules leads from the name that it takes. */
  statedBy(name: string, modules: readonly string[], file: FileView): Lead | null {
    const dotted = modules.map((module) => module.replaceAll("\\", ".").replace(/\.\{.*$/s, ""))
    const isMeant = (each: ImportBinding) => {
      if (file.family === "rust") return modules.includes(each.name)
      const module = each.module.replaceAll("\\", ".")
      return each.name === name && (dotted.includes(module) || dotted.includes(`${module}.${name}`))
    }
    const { all } = this.#importsOf(file)
    const stated = all.filter(isMeant)
    if (stated.length > 0) return merged(stated.map((each) => this.#bound(each, file, newTrail())))
    if (LANGUAGES[file.family]?.hasModules === true) {
      const named = dotted.filter((module) => `.${module}`.endsWith(`.${name}`))
      return merged(named.flatMap((module) => this.leadsTo(module, file) ?? []))
    }
    const whole = all.filter((each) => each.name === WHOLE && modules.includes(each.module))
    return merged(
      whole.flatMap((each) => {
        const target = this.#module(each.module, file)
        return (target.kind === "module" && this.#member(target.module, name, newTrail(), false)) || []
      }),
    )
  }

  /** Where a name leads that other files import from a file. */
  exportedBy(file: FileView, name: string): Lead | null {
    return this.#member({ ...moduleIn(file, null), name: file.path }, name, newTrail(), false)
  }

  /** The files of the module that an import in a file names; empty for a module that is not known. */
  filesOf(module: string, file: FileView): readonly FileView[] {
    const target = this.#module(module, file)
    return target.kind === "module" ? target.module.files : []
  }

  /** True if one of these modules, as a file imports them, is another file, or the folder or package that has it. */
  isModule(modules: readonly string[], file: FileView, home: FileView): boolean {
    if (file.family !== home.family) return false
    let places = this.#places.get(modules)
    if (places === undefined) {
      places = new Set(modules.flatMap((module) => this.#placesOf(module, file)))
      this.#places.set(modules, places)
    }
    if (places.size === 0) return false
    const { path, folder, package: name } = home
    return places.has(path) || places.has(`${folder}/`) || places.has(`=${name?.replaceAll("\\", ".")}`)
  }

  /** The paths of the files that a module means, its folder with a slash, and its package after an equals sign. */
  #placesOf(module: string, file: FileView): readonly string[] {
    if (file.family === "rust") {
      const lead = this.#ofRust(module.replace(/::\{.*$/s, "").split("::"), file, null, newTrail())
      if (lead?.kind === "module") return lead.module.files.map(({ path }) => path)
      return lead?.kind === "definitions" ? lead.definitions.map((each) => each.file.path) : []
    }
    const target = this.#sources.modules.moduleOf(module, file.path, file.family)
    if (target === null || target === "outside") return []
    const { paths, folder, package: name } = target
    if (name !== undefined) return [...paths, `=${name}`]
    return file.family === "go" ? [...paths, `${folder}/`] : paths
  }

  /** What the import statements of a file bind, and what it exports under which name. */
  bindingsIn(file: FileView): readonly ImportBinding[] {
    return this.#importsOf(file).all
  }

  #follow(steps: readonly string[], file: FileView, language: Language, line: number | null): Lead | null {
    const [head = ""] = steps
    if (head === OWN_NAME) return this.#byPackage([...stepsAround(line, file), ...steps.slice(1)], file, line)
    const visible = visibleAt(line, this.#importsOf(file).all, file)
    const named = language.bindingsOf?.(steps, visible, file) ?? bindingsOf(head, visible, file)
    const leads = named.map(({ binding, used }) => {
      const trail = newTrail()
      return this.#along(this.#bound(binding, file, trail), steps.slice(used), trail)
    })
    const lead = merged(leads) ?? this.#byComment(steps, file)
    if (lead !== null || head === "") return lead
    return this.#unbound(steps, file, language, line)
  }

  /** Where a path leads of which no import binds the first name. */
  #unbound(steps: readonly string[], file: FileView, language: Language, line: number | null): Lead | null {
    const [head = ""] = steps
    if (file.family === "rust" && steps.length > 1) {
      const place = moduleAround(line, file)
      const absolute = this.#ofRust(steps, file, place, newTrail())
      if (absolute !== null) return absolute
    }
    const isPackage = language.hasPackages === true && (steps.length > 1 || language.hasModules === true)
    const byPackage = isPackage ? this.#byPackage(steps, file, line) : null
    if (byPackage !== null || language.bindsStars !== true) return byPackage
    if (file.family === "ruby" && CAPITAL.test(head))
      return this.#sources.definitionsOf(head).some(isConstant) ? null : outside(head)
    return this.#byStars(steps, file, line) ?? this.#ofLibrary(steps, file)
  }

  /** Where a path leads in the library of Dart that has a file as its part: the imports of the library are the part's. */
  #ofLibrary(steps: readonly string[], file: FileView): Lead | null {
    const { stars } = this.#importsOf(file)
    const part = stars.find(({ as }) => as === PART_OF)
    const [library] = part === undefined ? [] : this.filesOf(part.module, file)
    const isKnown = library !== undefined && !this.#importsOf(library).stars.some(({ as }) => as === PART_OF)
    if (isKnown) return this.#follow(steps, library, LANGUAGES[file.family]!, null)
    return null
  }

  /**
   * Where a path leads that begins with a package: with one of the outermost ones, or in C#, PHP, Scala and Elixir with
   * one in a namespace or module around the line.
   */
  #byPackage(steps: readonly string[], file: FileView, line: number | null): Lead | null {
    const around = stepsAround(line, file)
    for (let outer = around.length; outer >= 0; outer--) {
      const path = [...around.slice(0, outer), ...steps]
      for (let length = path.length - 1; length >= outer; length--) {
        const module = { ...packageOf(path.slice(0, length).join("."), file.family), name: "" }
        const definitions = this.#seenFrom(file, this.#definedAs(module, path[length]!), outer > 0)
        if (definitions.length === 0) continue
        const rest = path.slice(length + 1)
        const leads = rest.length > 0 ? definitions.flatMap((each) => this.originalOf(each) ?? []) : []
        const original = merged(leads)
        return original === null
          ? { kind: "definitions", definitions, rest }
          : this.#along(original, rest, newTrail())
      }
    }
    return null
  }

  /**
   * The definitions of a package or namespace that a file knows: in C++ its own, else those in what it includes. A module
   * inside another one of Elixir is known by its last name only there.
   */
  #seenFrom(file: FileView, all: readonly SymbolDefinition[], isInner: boolean): readonly SymbolDefinition[] {
    const own = all.filter((each) => each.file.id === file.id)
    if (file.family === "elixir") return isInner ? own : all
    // Of constants of Ruby with one name, each file has its own.
    const isOwn = file.family === "c" || (file.family === "ruby" && !all.some(({ symbol }) => isType(symbol)))
    if (own.length > 0 && isOwn) return own
    if (file.family !== "c") return all
    return all.filter((each) => this.includes.reaches(file, each.file))
  }

  /** Where the path leads of which a constant of Ruby is another name: `Shop::Cart` in `Cart = Shop::Cart`. Null for none. */
  originalOf({ symbol, file }: SymbolDefinition): Lead | null {
    if (file.family !== "ruby" || symbol.kind !== "constant" || this.#aliases.has(symbol)) return null
    const isAlias = ({ as, line, module }: ImportBinding) =>
      module === OWN_MODULE && as === symbol.name && line === symbol.startLine
    const alias = this.#importsOf(file).all.find(isAlias)
    if (alias === undefined) return null
    this.#aliases.add(symbol)
    const lead = this.leadsTo(alias.name, file, alias.line)
    this.#aliases.delete(symbol)
    return lead
  }

  /** Where an import leads that no statement makes: `@import` and `@typedef` in a comment of JavaScript. */
  #byComment([head = "", ...rest]: readonly string[], file: FileView): Lead | null {
    if (file.family !== "js") return null
    const leads = file.modulesOf(head).flatMap((module) => {
      const trail = newTrail()
      const target = this.#module(module, file)
      const lead = target.kind === "module" ? this.#member(target.module, head, trail, false) : null
      return lead === null ? [] : [this.#along(lead, rest, trail)]
    })
    return merged(leads)
  }

  /**
   * What an import of every name of a module brings: `from shop import *`, `import shop.*`, `using Shop`. Null for a name
   * of the file's own package, which comes first.
   */
  #byStars([head = "", ...rest]: readonly string[], file: FileView, line: number | null): Lead | null {
    const own = file.package === null ? [] : this.#definedAs(packageOf(file.package, file.family), head)
    if (own.length > 0) return null
    const stars = visibleAt(line, this.#importsOf(file).stars, file).slice(0, MAX_STARS)
    const found = stars.flatMap((star): Lead[] => {
      const trail = newTrail()
      const lead = this.#ofStar(this.#starred(star, file, trail), head, trail)
      return lead === null || lead.kind === "outside" ? [] : [this.#along(lead, rest, trail)]
    })
    const lead = merged(found.filter((each) => each.kind !== "unknown" || each.candidates.length > 0))
    if (lead !== null || found.length > 0) return lead
    if (rest.length > 0 && stars.some(({ module }) => module === head)) return outside(head)
    const isClosed = LANGUAGES[file.family]!.isClosed?.(head, rest) === true
    return isClosed && !stars.some(({ as }) => as === PART_OF) ? outside(head) : null
  }

  /** Follows the steps of a path after its first, as long as they lead from module to module. */
  #along(lead: Lead, steps: readonly string[], trail: Trail): Lead {
    let current = lead
    for (const [at, step] of steps.entries()) {
      const inner = current.kind === "definitions" ? namespaceIn(current.definitions[0]!) : null
      if (inner !== null) {
        current = this.#member(inner, step, trail, false) ?? { kind: "unknown", candidates: [] }
        continue
      }
      if (current.kind === "definitions") return { ...current, rest: [...current.rest, ...steps.slice(at)] }
      if (current.kind !== "module") return current
      current = this.#member(current.module, step, trail, false) ?? outside(`${current.module.name}.${step}`)
    }
    return current
  }

  /** Where one binding leads. */
  #bound({ module, name, line }: ImportBinding, file: FileView, trail: Trail): Lead {
    if (module === OWN_MODULE) return this.#local(name, file, trail) ?? outside(module)
    if (file.family === "rust")
      return this.#ofRust(name.split("::"), file, moduleAround(line, file), trail) ?? outside(name)
    if (file.family === "c") return this.#ofNamespace(module, name, line, file)
    const target = this.#module(module, file)
    if (target.kind === "unknown") {
      const candidates =
        name === WHOLE ? [] : target.files.flatMap((each) => this.#sources.definedIn(name, each))
      return { kind: "unknown", candidates: candidates.filter(isTop) }
    }
    if (target.kind === "outside") return target
    if (name === WHOLE) return this.#itself(target.module, trail)
    return (
      this.#member(target.module, name, trail, false) ??
      this.#belowPackage(target.module, name) ??
      outside(module)
    )
  }

  /** What a namespace of C++ has under a name; it may be inside one of the namespaces around the line. */
  #ofNamespace(module: string, name: string, line: number, file: FileView): Lead {
    const all = namespacesAt(module, line, file)
    const leads = all.flatMap((each) =>
      name === WHOLE ? [] : (this.#member(each, name, newTrail(), false) ?? []),
    )
    if (name !== WHOLE) return leads[0] ?? outside(module)
    return { kind: "module", module: all.find((each) => this.#isNamespace(each)) ?? all.at(-1)! }
  }

  /** True if a file of the project has a part of a namespace of C++. */
  #isNamespace({ package: path }: Module): boolean {
    const names = path!.split(".").map((_, at, all) => all.slice(at).join("::"))
    return names.some((name) => this.#sources.definitionsOf(name).some((each) => wholeName(each) === path))
  }

  /**
   * What an import takes from a path that may be a package or a type: a member of the type, as in `import static
   * shop.Cart.open`, else an inner package.
   */
  #belowPackage({ package: path, files, family }: Module, name: string): Lead | null {
    if (path === null || files.length > 0) return null
    const definitions = this.#sources
      .definitionsOf(name)
      .filter(({ symbol, file }) => file.family === family && isMemberOf(path, symbol.owner, file.package))
    if (definitions.length > 0) return { kind: "definitions", definitions, rest: [] }
    return { kind: "module", module: packageOf(joined(path, name), family) }
  }

  /** A module as a value: in CommonJS, `module.exports = Shop` makes the module the definition itself. */
  #itself(module: Module, trail: Trail): Lead {
    for (const file of module.files) {
      const own =
        file.family === "js"
          ? exportsOf(WHOLE, this.#importsOf(file).all, "js").find((each) => each.module === OWN_MODULE)
          : null
      const lead = own ? this.#local(own.name, file, trail) : null
      if (lead?.kind === "definitions") return lead
    }
    return { kind: "module", module }
  }

  /**
   * Where a path of Rust leads from a module: from the root of the crate, from another crate, or from the module itself.
   * Null when its first name is none of these.
   */
  #ofRust(steps: readonly string[], file: FileView, place: string | null, trail: Trail): Lead | null {
    const [head = "", ...rest] = steps
    const { modules } = this.#sources
    const start = (paths: readonly string[], path: readonly string[]) =>
      firstFound(paths.map((each) => this.#along(...this.#rustRoot(each, path), trail)))
    if (head === "") return this.#ofRust(rest, file, place, trail)
    if (head === "crate" || head === "$crate") return start(modules.rustRoots(file.path), rest)
    if (head === "self") return this.#along(this.#rustModule(file.path, place), rest, trail)
    if (head === "super") return this.#ofRustParent(rest, file, place, trail)
    const own = this.#member(moduleIn(file, place), head, trail, false)
    if (own !== null && own.kind !== "outside") return this.#along(own, rest, trail)
    const crate = modules.rustCrate(head, file.path)
    if (crate !== null) return start(crate, rest)
    const candidates = this.#sources
      .definitionsOf(rest.at(-1) ?? "")
      .filter((each) => isTop(each) && modules.mayBeOfCrate(head, file.path, each.file.path))
    return candidates.length === 0 ? null : { kind: "unknown", candidates }
  }

  #ofRustParent(rest: readonly string[], file: FileView, place: string | null, trail: Trail): Lead | null {
    const parent = place === null ? this.#sources.modules.rustParent(file.path) : file.path
    const above = parent === null ? null : this.#sources.file(parent)
    if (above === null) return null
    const own = place === null ? [] : this.#sources.definedIn(place, file)
    const inner = own.find(({ symbol }) => symbol.kind === "module")?.symbol
    const outer = inner && (file.outline.moduleAround(inner.startLine, inner.endLine)?.name ?? null)
    return rest[0] === "super"
      ? this.#ofRust(rest, above, outer ?? null, trail)
      : this.#along(this.#rustModule(above.path, outer ?? null), rest, trail)
  }

  /** The module at the root of a crate; without the root's file, the first module that the path names. */
  #rustRoot(root: string, steps: readonly string[]): [Lead, readonly string[]] {
    const { modules, file } = this.#sources
    const child = file(root) === null ? modules.rustChild(root, steps[0] ?? "", true) : null
    return child === null
      ? [this.#rustModule(root, null), steps]
      : [this.#rustModule(child, null), steps.slice(1)]
  }

  #rustModule(path: string, inner: string | null): Lead {
    const file = this.#sources.file(path)
    return file === null ? outside(path) : { kind: "module", module: moduleIn(file, inner) }
  }

  /** What a name means at the top of a file: what the file defines, else what it imports. */
  #local(name: string, file: FileView, trail: Trail): Lead | null {
    const own = this.#sources.definedIn(name, file).filter(isTop)
    if (own.length > 0) return { kind: "definitions", definitions: own, rest: [] }
    const bound = bindingsOf(name, this.#importsOf(file).all, null)
    return merged(bound.map(({ binding }) => this.#bound(binding, file, trail)))
  }

  /**
   * What a name of a module is: a definition, another module, or what the module exports again. `isStar`: the module is
   * only one of several that may have the name, so that what it does not export does not count. Null when the module has
   * no such name.
   */
  #member(module: Module, name: string, trail: Trail, isStar: boolean): Lead | null {
    const key = `${name} ${isStar} ${module.package} ${module.folder} ${module.files.map(({ id }) => id)}`
    const known = this.#members.get(key)
    if (known !== undefined) return known
    if (trail.left-- <= 0 || trail.open.size > 64 || trail.open.has(key)) {
      trail.cuts++
      return null
    }
    const { cuts } = trail
    trail.open.add(key)
    const lead = this.#memberOnce(module, name, trail, isStar)
    trail.open.delete(key)
    if (trail.cuts === cuts || trail.open.size === 0) this.#members.set(key, lead)
    return lead
  }

  #memberOnce(module: Module, name: string, trail: Trail, isStar: boolean): Lead | null {
    const all = this.#definedAs(module, name)
    const { family } = module
    const own = family === "js" && name !== "default" ? all.filter(isExported) : all
    if (own.length > 0) return { kind: "definitions", definitions: own, rest: [] }
    const exported = module.files.flatMap((file) =>
      exportsOf(name, importsIn(module, this.#importsOf(file).all, file), file.family).map((each) =>
        this.#bound(each, file, trail),
      ),
    )
    const lead = merged(exported) ?? this.#inner(module, name) ?? this.#byReexports(module, name, trail)
    if (lead !== null && (lead.kind !== "outside" || all.length === 0)) return lead
    return all.length > 0 && !isStar ? { kind: "definitions", definitions: all, rest: [] } : lead
  }

  /** What the modules have of which a module exports every name again. */
  #byReexports(module: Module, name: string, trail: Trail): Lead | null {
    if (name === "default") return null
    let rest: Lead | null = null
    const found: Lead[] = []
    for (const file of module.files) {
      const isAny = LANGUAGES[file.family]?.exportsAll === true
      const all = importsIn(module, this.#importsOf(file).stars, file)
      const stars = all.filter((each) => isAny || each.isExported)
      for (const star of stars.slice(0, MAX_STARS)) {
        const lead = this.#ofStar(this.#starred(star, file, trail), name, trail)
        if (lead?.kind === "definitions" || lead?.kind === "module") found.push(lead)
        else rest ??= lead
      }
    }
    return merged(found) ?? rest ?? this.#computed(module)
  }

  /** That of which a statement imports every name: a module, or a type whose members it imports. */
  #starred({ module, name, line }: ImportBinding, file: FileView, trail: Trail): Lead | ModuleLead {
    if (file.family === "c") return this.#ofNamespace(module, WHOLE, line, file)
    if (file.family === "rust") {
      const steps = name.split("::").slice(0, -1)
      return this.#ofRust(steps, file, moduleAround(line, file), trail) ?? outside(name)
    }
    const target = this.#module(module, file)
    const type = file.family === "jvm" ? this.#byPackage(module.split("."), file, line) : null
    if (type?.kind === "definitions" && type.rest.length === 0) return type
    if (name !== USED_MACRO || target.kind !== "module") return target
    const isOwn = this.#member(target.module, USED_MACRO, trail, false) !== null
    return isOwn ? { kind: "unknown", files: [] } : outside(module)
  }

  #ofStar(target: Lead | ModuleLead, name: string, trail: Trail): Lead | null {
    if (target.kind === "module") return this.#member(target.module, name, trail, true)
    if (target.kind === "outside") return target
    if (target.kind === "unknown") {
      const files = "files" in target ? target.files : []
      const candidates = files.flatMap((file) => this.#sources.definedIn(name, file))
      return { kind: "unknown", candidates: candidates.filter(isTop) }
    }
    const [type] = target.definitions
    const members = this.#sources
      .definitionsOf(name)
      .filter(({ symbol, file }) => symbol.owner === type!.symbol.name && isBeside(file, type!.file))
    return members.length === 0 ? null : { kind: "definitions", definitions: members, rest: [] }
  }

  /** The definitions of a name at the top of a module. */
  #definedAs(module: Module, name: string): readonly SymbolDefinition[] {
    const { files, family } = module
    if (family === "lua") return files.flatMap((file) => this.#ofTable(file, name))
    if (family === "js" && name === "default") return files.flatMap(componentsIn)
    if (hasWholeNames(family) && files.length === 0) return this.#byWholeName(module, name)
    const all =
      files.length === 0
        ? this.#sources.definitionsOf(name).filter(({ file }) => isOfModule(file, module))
        : files.flatMap((file) => this.#sources.definedIn(name, file))
    if (family !== "rust") return all.filter(isTop)
    return all.filter(
      ({ symbol }) => symbol.local === 0 && symbol.owner === module.package && symbol.kind !== "module",
    )
  }

  /** The functions of a module of Elixir, the modules inside it and, in Ruby, its constants. */
  #byWholeName({ package: path, family }: Module, name: string): readonly SymbolDefinition[] {
    const whole = joined(path ?? "", name)
    const all = [whole, name].flatMap((each) => this.#sources.definitionsOf(each))
    return [...new Set(all)].filter(
      (each) =>
        each.file.family === family &&
        (family === "elixir" || isOfModules(each)) &&
        wholeName(each) === whole,
    )
  }

  /** What the table that a module of Lua returns has under a name: for `M.Cart = Cart` what the file calls `Cart`. */
  #ofTable(file: FileView, name: string): readonly SymbolDefinition[] {
    const table = this.#importsOf(file).all.find(({ module, as }) => module === OWN_MODULE && as === WHOLE)
    const all = table === undefined ? [] : this.#sources.definedIn(name, file)
    const own = all.filter(({ symbol }) => symbol.owner === table!.name)
    const values = all.filter(isTop)
    return own.every(({ symbol }) => symbol.kind === "field") && own.length > 0 && values.length > 0
      ? values
      : own
  }

  /** The module inside a module: a file of a Python package, a package inside another. */
  #inner(module: Module, name: string): Lead | null {
    const file = module.files[0]
    if (file?.family === "rust") return this.#innerOfRust(module, file, name)
    if (module.folder === null || file?.family === "js") return null
    const found = this.#sources.modules.innerModule(module.folder, name)
    return found === null
      ? null
      : { kind: "module", module: this.#asModule(found, `${module.name}.${name}`, module.family) }
  }

  /** The file of a Rust module that a module declares, or the module inside the file. */
  #innerOfRust(module: Module, file: FileView, name: string): Lead | null {
    const { modules } = this.#sources
    const isRoot = modules.rustRoots(file.path)[0] === file.path
    const child = module.package === null ? modules.rustChild(file.path, name, isRoot) : null
    if (child !== null) return this.#rustModule(child, null)
    const isInner = this.#sources
      .definedIn(name, file)
      .some(({ symbol }) => symbol.kind === "module" && symbol.owner === module.package)
    return isInner ? { kind: "module", module: moduleIn(file, name) } : null
  }

  /** Python's `__getattr__` of a module makes any name. */
  #computed({ files }: Module): Lead | null {
    const isComputed = files.some(
      (file) => file.family === "python" && this.#sources.definedIn("__getattr__", file).some(isTop),
    )
    return isComputed ? { kind: "unknown", candidates: [] } : null
  }

  #importsOf(file: FileView): FileImports {
    let found = this.#files.get(file)
    if (!found) {
      const all = importBindings(file.usesOf(IMPORT_LIST))
      const named = file.family === "go" ? all.map((binding) => this.#underOwnName(binding, file)) : all
      const isStar = ({ as, module }: ImportBinding) =>
        (as === WHOLE && module !== OWN_MODULE) || as === PART_OF
      const stars = all.filter(isStar)
      found = { all: named, stars }
      this.#files.set(file, found)
    }
    return found
  }

  /** In Go, an import binds the package's own name, which need not be the last part of its path. */
  #underOwnName(binding: ImportBinding, file: FileView): ImportBinding {
    if (binding.as !== "") return binding
    const found = this.#sources.modules.moduleOf(binding.module, file.path, "go")
    const own = found === null || found === "outside" ? null : this.#sources.packageIn(found.folder!)
    return { ...binding, as: own ?? lastGoName(binding.module) }
  }

  /** The module that an import in a file names. */
  #module(module: string, file: FileView): ModuleLead {
    const found = this.#sources.modules.moduleOf(module, file.path, file.family)
    if (found === null) return { kind: "unknown", files: [] }
    if (found === "outside") return outside(module)
    if (found.isGuess === true)
      return { kind: "unknown", files: found.paths.flatMap((path) => this.#sources.file(path) ?? []) }
    return { kind: "module", module: this.#asModule(found, module, file.family) }
  }

  #asModule(found: ModuleFiles, name: string, family: string): Module {
    return {
      files: found.paths.flatMap((path) => this.#sources.file(path) ?? []),
      folder: found.folder ?? null,
      package: found.package ?? null,
      name,
      family,
    }
  }
}

type ModuleLead =
  | Extract<Lead, { kind: "module" | "outside" }>
  | { readonly kind: "unknown"; readonly files: readonly FileView[] }

/** A binding, and the number of steps of the path that it stands for. */
type Bound = { readonly binding: ImportBinding; readonly used: number }

/** The rules of a language family. */
type Language = {
  /** The bindings for which the first steps of a path stand, where that is more than its first name. */
  readonly bindingsOf?: (
    steps: readonly string[],
    all: readonly ImportBinding[],
    file: FileView,
  ) => readonly Bound[]
  /** True when an import of every name brings names into the file itself, and not only to the files that import it. */
  readonly bindsStars?: true
  /** True when other files can import what a file imports, without a word that says so. */
  readonly exportsAll?: true
  /** True when a path may begin with a package, a namespace or a module that no import binds. */
  readonly hasPackages?: true
  /** The word for the package around all others. */
  readonly root?: string
  /** The module inside a file in which an import on a line counts. */
  readonly scopeOf?: (line: number | null, file: FileView) => string
  /** True when an import in a module also counts in the modules inside it. */
  readonly inheritsImports?: true
  /** True when functions are members of modules, which are named by paths. */
  readonly hasModules?: true
  /** True for a path that is not from the project if nothing in the project and no import has its first name. */
  readonly isClosed?: (head: string, rest: readonly string[]) => boolean
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  js: {},
  python: { bindingsOf: dottedModules, bindsStars: true, exportsAll: true },
  go: { bindsStars: true },
  rust: { bindsStars: true, exportsAll: true, scopeOf: (line, file) => moduleAround(line, file) ?? "" },
  jvm: { bindsStars: true, hasPackages: true, root: "_root_" },
  csharp: { bindsStars: true, hasPackages: true, root: "global" },
  php: { hasPackages: true },
  dart: { bindsStars: true, isClosed: (_, rest) => rest.length === 0 },
  elixir: {
    bindsStars: true,
    hasPackages: true,
    hasModules: true,
    scopeOf: (line, file) => stepsAround(line, file).join("."),
    inheritsImports: true,
    isClosed: (head, rest) => rest.length === 0 || CAPITAL.test(head),
  },
  lua: { hasPackages: true },
  swift: { bindsStars: true, hasPackages: true },
  c: {
    bindsStars: true,
    hasPackages: true,
    hasModules: true,
    scopeOf: (line, file) => stepsAround(line, file).join("."),
    inheritsImports: true,
  },
  ruby: {
    bindsStars: true,
    hasPackages: true,
    hasModules: true,
    scopeOf: (line, file) => stepsAround(line, file).join("."),
  },
}

/** The word of Elixir for the module around it. */
const OWN_NAME = "__MODULE__"

/** The module inside a file of Rust that has a line; null for the module that the file itself is. */
function moduleAround(line: number | null, file: FileView): string | null {
  return line === null ? null : (file.outline.moduleAround(line, line)?.name ?? null)
}

function visibleAt(
  line: number | null,
  all: readonly ImportBinding[],
  file: FileView,
): readonly ImportBinding[] {
  const { scopeOf, inheritsImports } = LANGUAGES[file.family] ?? {}
  if (scopeOf === undefined || line === null) return all
  const place = scopeOf(line, file)
  return all.filter((binding) => {
    const scope = scopeOf(binding.line, file)
    return (
      scope === place || (inheritsImports === true && `${place}.`.startsWith(scope === "" ? "" : `${scope}.`))
    )
  })
}

/** True for a family in which the line of a use decides which imports count. */
export function scopesImports(family: string): boolean {
  return LANGUAGES[family]?.scopeOf !== undefined
}

/** The namespaces or modules around a line whose names code there need not write. */
function stepsAround(line: number | null, file: FileView): readonly string[] {
  if (file.family === "jvm" && file.language !== "scala") return []
  const path = hasWholeNames(file.family) ? nameAround(line ?? 0, file) : file.package
  return path?.split(SEPARATOR).filter((step) => step !== "") ?? []
}

/** True for what a module of Ruby or a namespace of C++ has: constants and modules, functions and types. */
function isOfModules(each: SymbolDefinition): boolean {
  return each.file.family === "c"
    ? isTop(each) || isType(each.symbol) || namespaceOf(each) !== null
    : isConstant(each)
}

export function isConstant({ symbol, file }: SymbolDefinition): boolean {
  return file.family === "ruby" && (isType(symbol) || symbol.kind === "constant")
}

const CAPITAL = /^\p{Lu}/u

/** The module of Elixir or the namespace of C++ that a definition is; else null. */
function namespaceIn(definition: SymbolDefinition): Module | null {
  const { symbol, file } = definition
  const is = file.family === "c" ? symbol.kind === "module" : file.family === "elixir" && isType(symbol)
  return is ? packageOf(wholeName(definition), file.family) : null
}

/** The namespaces of C++ that a path may name on a line, innermost first. */
function namespacesAt(path: string, line: number, file: FileView): readonly Module[] {
  const around = stepsAround(line, file)
  const steps = path.split("::")
  return around
    .map((_, at) => [...around.slice(0, around.length - at), ...steps])
    .concat([steps])
    .map((each) => packageOf(each.join("."), "c"))
}

/** The component that a file of Vue or Svelte is. */
function componentsIn(file: FileView): readonly SymbolDefinition[] {
  return file.symbols.filter(({ kind }) => kind === "component").map((symbol) => ({ symbol, file }))
}

function packageOf(path: string, family: string): Module {
  return { files: [], folder: null, package: path, name: path, family }
}

/** The statements of a file that belong to a module: in Rust, those of the module inside the file. */
function importsIn(
  { package: inner }: Module,
  all: readonly ImportBinding[],
  file: FileView,
): readonly ImportBinding[] {
  return file.family === "rust" ? all.filter(({ line }) => moduleAround(line, file) === inner) : all
}

function moduleIn(file: FileView, inner: string | null): Module {
  return { files: [file], folder: null, package: inner, name: inner ?? file.path, family: file.family }
}

/** True when a member of a type in one file may be in the other: the same file, or the same package. */
function isBeside(file: FileView, home: FileView): boolean {
  return file.id === home.id || (home.package !== null && file.package === home.package)
}

/** The first lead that is not outside; else the first; null for none. */
function firstFound(leads: readonly Lead[]): Lead | null {
  return leads.find(({ kind }) => kind !== "outside") ?? leads[0] ?? null
}

/** True for a language family whose imports are followed. */
export function followsImports(family: string): boolean {
  return LANGUAGES[family] !== undefined
}

const SEPARATOR = /[./\\]|::/
const EXPORTED = /^(?:@[^\n]*?\s)?(?:export|declare)\b/

function isExported({ symbol }: SymbolDefinition): boolean {
  return EXPORTED.test(symbol.signature)
}

function isTop({ symbol }: SymbolDefinition): boolean {
  return symbol.owner === null && symbol.local === 0
}

function isOfModule(file: FileView, { folder, package: name, family }: Module): boolean {
  if (file.family !== family) return false
  if (name !== null) return file.package?.replaceAll("\\", ".") === name
  return file.family === "go" && file.folder === folder && !file.path.endsWith("_test.go")
}

/** True if a path names the type that owns a member of a package. */
function isMemberOf(path: string, owner: string | null, packageName: string | null): boolean {
  if (owner === null) return false
  return packageName === null
    ? path === owner
    : path.startsWith(packageName.replaceAll("\\", ".")) && path.endsWith(`.${owner}`)
}

function outside(module: string): Extract<Lead, { kind: "outside" }> {
  return { kind: "outside", module }
}

/** The bindings of a name: those that bind it, else those whose other name uses in the file are stored under it. */
function bindingsOf(name: string, all: readonly ImportBinding[], file: FileView | null): readonly Bound[] {
  const imported = all.filter(({ module }) => module !== OWN_MODULE)
  const bound = imported.filter(({ as }) => as === name)
  const some =
    bound.length > 0 ? bound : imported.filter(({ as }) => as !== name && file?.importedName(as) === name)
  return some.map((binding) => ({ binding, used: 1 }))
}

/** The bindings by which other files can import a name from a file of a family. */
function exportsOf(name: string, all: readonly ImportBinding[], family: string): readonly ImportBinding[] {
  const isAny = LANGUAGES[family]?.exportsAll === true
  return all.filter(({ as, isExported }) => as === name && (isAny || isExported))
}

/** In Python, `import a.b` binds `a`, and the path `a.b` is that module. */
function dottedModules(
  steps: readonly string[],
  all: readonly ImportBinding[],
  file: FileView,
): readonly Bound[] {
  const dotted = all.flatMap((binding): Bound[] => {
    if (binding.name !== WHOLE || binding.as !== binding.module || !binding.as.includes(".")) return []
    const parts = binding.as.split(".")
    let used = 0
    while (used < parts.length && used < steps.length && parts[used] === steps[used]) used++
    return used === 0 ? [] : [{ binding: { ...binding, module: parts.slice(0, used).join(".") }, used }]
  })
  const longest = Math.max(0, ...dotted.map(({ used }) => used))
  return [...bindingsOf(steps[0]!, all, file), ...dotted.filter(({ used }) => used === longest).slice(0, 1)]
}

/** The name that a Go package probably has by its path: `yaml` for `gopkg.in/yaml.v3`, `redis` for `example.org/go-redis/v9`. */
function lastGoName(module: string): string {
  const parts = module.split("/")
  const last = parts.findLast((part) => !/^v\d+$/.test(part)) ?? module
  return last
    .replace(/\.v\d+$/, "")
    .replace(/^go-|[.-]go$/, "")
    .replaceAll("-", "")
}

/** One lead for several: definitions of one thing, or all that may be meant. Null for none. */
function merged(leads: readonly Lead[]): Lead | null {
  const [first, ...others] = leads
  if (first === undefined || others.length === 0) return first ?? null
  if (leads.every((lead) => isSame(first, lead))) return first
  return { kind: "unknown", candidates: leads.flatMap(definitionsIn) }
}

function isSame(one: Lead, other: Lead): boolean {
  if (one.kind === "definitions" && other.kind === "definitions")
    return (
      one.definitions[0]!.file.id === other.definitions[0]!.file.id &&
      one.definitions[0]!.symbol.name === other.definitions[0]!.symbol.name
    )
  if (one.kind === "module" && other.kind === "module")
    return one.module.files[0]?.id === other.module.files[0]?.id && one.module.name === other.module.name
  return one.kind === "outside" && other.kind === "outside"
}

function definitionsIn(lead: Lead): readonly SymbolDefinition[] {
  if (lead.kind === "definitions") return lead.definitions
  return lead.kind === "unknown" ? lead.candidates : []
}
