import type { Use } from "../code/use-code.ts"
import type { Definition } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import type { Types } from "./types.ts"

/** A use, and what several candidates ask of it. */
export class MeaningContext {
  readonly use: Use
  readonly file: FileView
  readonly types: Types
  readonly #inScope: readonly Definition[]
  readonly #places: () => number | null
  #alone: number | null = null

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
    this.#alone ??=
      1 /
      (this.#places() ??
        new Set(this.#inScope.map(({ symbol, file: { path } }) => `${path}:${symbol.owner}`)).size)
    return this.#alone
  }

  /** What the name before the dot is declared as; null where nothing says so. */
  get declared(): ReadonlySet<string> | null {
    const { qualifier, line } = this.use
    return qualifier === null || qualifier === "?" ? null : this.types.declared(qualifier, line, this.file)
  }

  /** Whether a type is one of these, or extends one of them as far as files say. */
  isOneOf(owner: string, types: Iterable<string>): boolean {
    for (const type of types) if (this.types.lineOf(type, this.file).has(owner)) return true
    return false
  }

  /** Whether one of these is what a type extends or implements: who calls the one may come to the other. */
  isAbove(owner: string, types: ReadonlySet<string>): boolean {
    const line = this.types.lineOf(owner, this.file)
    for (const type of types) if (line.has(type)) return true
    return false
  }
}
