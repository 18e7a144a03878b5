import { USE, type Use } from "../../code/references/use-code.ts"
import type { SymbolDefinition } from "../definition.ts"
import type { FileView } from "../file-view.ts"
import type { Types } from "../types/types.ts"
import type { Declared } from "../types/values.ts"
import { countPlaces, plainName } from "./candidate-definitions.ts"
import { isDeclaredNear } from "./scope.ts"

/** A use, with facts that the comparison with several candidates needs; each is computed once. */
export class MeaningContext {
  readonly use: Use
  readonly file: FileView
  readonly types: Types
  readonly #inScope: readonly SymbolDefinition[]
  readonly #places: () => number | null
  #alone: number | null = null
  #declared: Declared | null | undefined
  #around: string | null | undefined
  #isDeclaredNear: boolean | null = null
  #imported: readonly string[] | null = null
  #modules: readonly string[] | null = null
  #plainQualifier: string | null = null
  #importedHead: ImportedHead | null | undefined
  #owners: ReadonlySet<string> | null = null
  #ownersAround: ReadonlySet<string> | null = null

  constructor(
    use: Use,
    file: FileView,
    types: Types,
    inScope: readonly SymbolDefinition[],
    places: () => number | null,
  ) {
    this.use = use
    this.file = file
    this.types = types
    this.#inScope = inScope
    this.#places = places
  }

  /** The confidence when only the name matches: 1 divided by the number of places that define the name. */
  get alone(): number {
    this.#alone ??= 1 / (this.#places() ?? countPlaces(this.#inScope))
    return this.#alone
  }

  /** The declared types of the value before the dot; null when no declaration states them. */
  get declared(): Declared | null {
    if (this.#declared === undefined) this.#declared = this.types.declared(this.use, this.file)
    return this.#declared
  }

  /** The qualifier in the form that `namedAfter` compares. */
  get plainQualifier(): string {
    this.#plainQualifier ??= plainName(this.use.qualifier ?? "")
    return this.#plainQualifier
  }

  /** The type that encloses the use, or that owns the enclosing method; null when there is none. */
  get around(): string | null {
    if (this.#around === undefined) this.#around = this.file.outline.enclosingType(this.use.line)
    return this.#around
  }

  /** True when the enclosing function binds a local variable of that name. */
  get isDeclaredNear(): boolean {
    this.#isDeclaredNear ??= isDeclaredNear(this.use, this.file)
    return this.#isDeclaredNear
  }

  /** The modules that the name is imported from where it is used. */
  get imported(): readonly string[] {
    this.#imported ??= importedAt(this.use, this.file)
    return this.#imported
  }

  /** The modules that the name before the dot may refer to. */
  get modules(): readonly string[] {
    this.#modules ??= this.file.modulesNamed(this.use.qualifier ?? "")
    return this.#modules
  }

  /**
   * In Python, the first name of the value before the dot if imports of the file are all that binds it, such as `pytest` in
   * `pytest.mark`; null otherwise.
   */
  get importedHead(): ImportedHead | null {
    if (this.#importedHead === undefined) this.#importedHead = importedHeadOf(this.use, this.file)
    return this.#importedHead
  }

  /** True when the declared type of the value before the dot is this type, or one that extends it. */
  isDeclared(owner: string): boolean {
    this.#owners ??= this.#lineagesOf(this.declared?.keys() ?? [])
    return this.#owners.has(owner)
  }

  /**
   * Confidence that the declared type is the one that the file `home` defines: low for another type of that name, and
   * slightly lower for a type that is only an argument of another type.
   */
  declaredConfidence(owner: string, home: FileView): number {
    const naming = this.declared?.get(owner)
    if (naming && !naming.files.some((file) => this.types.isHome(owner, home, file))) return 0.2
    // A type's own member hides a member of the same name in its base.
    if (naming === undefined) return 0.88
    return naming.isMain ? 0.9 : 0.87
  }

  /** True when the enclosing type is `owner` or extends it. */
  isAround(owner: string): boolean {
    this.#ownersAround ??= this.#lineagesOf(this.around === null ? [] : [this.around])
    return this.#ownersAround.has(owner)
  }

  /**
   * True when `owner` extends or implements one of the declared types: a call on a value of the declared type may then
   * reach a method of `owner`.
   */
  isAbove(owner: string, types: Declared): boolean {
    for (const type of types.keys()) if (this.types.heirsOf(type).has(owner)) return true
    return false
  }

  #lineagesOf(types: Iterable<string>): ReadonlySet<string> {
    const lines = Array.from(types, (type) => this.types.lineageOf(type, this.file))
    return lines.length === 1 ? lines[0]! : new Set(lines.flatMap((line) => [...line]))
  }
}

/** The modules that a name is imported from. In Rust, an import in a module such as `mod tests` is visible only there. */
function importedAt({ name, line }: Use, file: FileView): readonly string[] {
  const all = file.modulesOf(name)
  if (file.family !== "rust" || all.length === 0) return all
  const imports = file.usesOf(name).filter(({ flags }) => (flags & USE.import) !== 0)
  const visible = imports.filter((each) => {
    const module = file.outline.moduleAround(each.line, each.line)
    return module === null || (module.startLine <= line && line <= module.endLine)
  })
  return visible.length === imports.length ? all : visible.flatMap(({ qualifier }) => qualifier ?? [])
}

/** A name that a file imports, and the modules of its imports that begin with the name. */
type ImportedHead = { readonly name: string; readonly modules: readonly string[] }

function importedHeadOf(use: Use, file: FileView): ImportedHead | null {
  if (file.family !== "python") return null
  const path = use.path ?? use.qualifier
  if (path === null || !/^\w+(?:\.\w+)*$/.test(path)) return null
  const name = path.split(".", 1)[0]!
  if (file.boundBefore(name, use.line) !== null) return null
  const modules = file.imports.filter((module) => module === name || module.startsWith(`${name}.`))
  const isAll = modules.length > 0 && file.modulesOf(name).every((module) => modules.includes(module))
  return isAll ? { name, modules } : null
}
