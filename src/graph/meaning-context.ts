import type { Use } from "../code/use-code.ts"
import { countPlaces, plainName } from "./candidates.ts"
import type { Definition } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { isDeclaredNear } from "./scope.ts"
import type { Types } from "./types.ts"
import type { Declared } from "./values.ts"

/** A use, and what several candidates ask of it, each worked out once. */
export class MeaningContext {
  readonly use: Use
  readonly file: FileView
  readonly types: Types
  readonly #inScope: readonly Definition[]
  readonly #places: () => number | null
  #alone: number | null = null
  #declared: Declared | null | undefined
  #around: string | null | undefined
  #isDeclaredNear: boolean | null = null
  #imported: readonly string[] | null = null
  #modules: readonly string[] | null = null
  #plainQualifier: string | null = null
  #owners: ReadonlySet<string> | null = null
  #ownersAround: ReadonlySet<string> | null = null

  constructor(
    use: Use,
    file: FileView,
    types: Types,
    inScope: readonly Definition[],
    places: () => number | null,
  ) {
    this.use = use
    this.file = file
    this.types = types
    this.#inScope = inScope
    this.#places = places
  }

  /** 1, divided among the places that define the name. */
  get alone(): number {
    this.#alone ??= 1 / (this.#places() ?? countPlaces(this.#inScope))
    return this.#alone
  }

  /** What stands before the dot is declared as; null where nothing says so. */
  get declared(): Declared | null {
    if (this.#declared === undefined) this.#declared = this.types.declared(this.use, this.file)
    return this.#declared
  }

  /** What stands before the dot as `namedAfter` compares it. */
  get plainQualifier(): string {
    this.#plainQualifier ??= plainName(this.use.qualifier ?? "")
    return this.#plainQualifier
  }

  /** The type around the use, or that whose method is around it. */
  get around(): string | null {
    if (this.#around === undefined) this.#around = this.file.outline.enclosingType(this.use.line)
    return this.#around
  }

  /** A local of that name is bound in the function around. */
  get isDeclaredNear(): boolean {
    this.#isDeclaredNear ??= isDeclaredNear(this.use, this.file)
    return this.#isDeclaredNear
  }

  /** The modules that the name is imported from. */
  get imported(): readonly string[] {
    this.#imported ??= this.file.modulesOf(this.use.name)
    return this.#imported
  }

  /** What the name before the dot may be as a module. */
  get modules(): readonly string[] {
    this.#modules ??= this.file.modulesNamed(this.use.qualifier ?? "")
    return this.#modules
  }

  /** Whether what stands before the dot is declared as a type, or as one that extends it, as far as files say. */
  isDeclared(owner: string): boolean {
    this.#owners ??= this.#linesOf(this.declared?.keys() ?? [])
    return this.#owners.has(owner)
  }

  /** How likely that type is the one that a file defines: no namesake, and no mere argument of another type. */
  declaredConfidence(owner: string, home: FileView): number {
    const naming = this.declared?.get(owner)
    if (naming && !naming.files.some((file) => this.types.isHome(owner, home, file))) return 0.2
    return naming?.isMain === false ? 0.87 : 0.9
  }

  /** Whether the type around is one, or extends it, as far as files say. */
  isAround(owner: string): boolean {
    this.#ownersAround ??= this.#linesOf(this.around === null ? [] : [this.around])
    return this.#ownersAround.has(owner)
  }

  /** Whether one of these is what a type extends or implements: who calls the one may come to the other. */
  isAbove(owner: string, types: Declared): boolean {
    for (const type of types.keys()) if (this.types.heirsOf(type).has(owner)) return true
    return false
  }

  #linesOf(types: Iterable<string>): ReadonlySet<string> {
    const lines = Array.from(types, (type) => this.types.lineOf(type, this.file))
    return lines.length === 1 ? lines[0]! : new Set(lines.flatMap((line) => [...line]))
  }
}
