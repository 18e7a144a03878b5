import { hasImplicitThis } from "../../code/languages/family.ts"
import { USE, type Use } from "../../code/references/use-code.ts"
import type { SymbolDefinition } from "../definition.ts"
import type { FileView } from "../file-view.ts"
import { isNamed, isSelfReference } from "../references/stored-name.ts"
import type { Types } from "../types/types.ts"
import type { Candidates } from "./candidate-definitions.ts"
import { HAS_HIDING_LOCALS } from "./plain-meaning.ts"
import { likeliestMeanings, mayMean, type ResolvedMeaning } from "./resolve.ts"
import { enclosingFunction, hasBlocks, isDeclaredNear } from "./scope.ts"

/** Cached results for a group of uses that must all have the same meaning. */
type CachedMeanings = { meanings: readonly ResolvedMeaning[] | null; mayBe: boolean | null }

/**
 * Resolves the uses of one name in one file. Uses that must have the same meaning are resolved once. These have the
 * same flags and qualifier, see the same definitions of the file, and have the same enclosing type or, with a name
 * before the dot, the same declared type of that name.
 */
export class FileMeanings {
  readonly #file: FileView
  readonly #candidates: Candidates
  readonly #types: Types
  readonly #known = new Map<string, CachedMeanings>()
  #last: { readonly use: Use; readonly known: CachedMeanings } | null = null
  #kinds = 0
  /** True when the file itself defines the name. */
  readonly #isOwn: boolean
  /** True when the file defines the name several times, so that the line of a use decides which definition it means. */
  readonly #hasBlocks: boolean
  /** True when some of these definitions are inside functions and visible only in them. */
  readonly #hasLocals: boolean
  /** Lines in ascending order. All uses between two of these lines see the same definitions of the file. */
  readonly #borders: readonly number[]

  constructor(file: FileView, candidates: Candidates, types: Types) {
    this.#file = file
    this.#candidates = candidates
    this.#types = types
    const own = candidates.inFile(file.id)
    this.#isOwn = own.length > 0
    this.#hasBlocks = own.length > 1 && hasBlocks(file.family)
    this.#hasLocals = own.some(({ symbol }) => symbol.local !== 0)
    this.#borders = this.#hasBlocks || this.#hasLocals ? bordersOf(own, file) : []
  }

  /** Number of groups of uses, found so far, that may differ in meaning. */
  get kinds(): number {
    return this.#kinds
  }

  of(use: Use): readonly ResolvedMeaning[] {
    const known = this.#cacheEntryOf(use)
    known.meanings ??= likeliestMeanings(use, this.#file, this.#candidates, this.#types)
    return known.meanings
  }

  /**
   * True when a use may refer to one of the targets with enough confidence. This is faster than `of`, because it does
   * not weigh all definitions of the name. Every call must pass the same targets.
   */
  mayBe(use: Use, targets: readonly SymbolDefinition[]): boolean {
    const known = this.#cacheEntryOf(use)
    known.mayBe ??= mayMean(use, this.#file, { candidates: this.#candidates, types: this.#types, targets })
    return known.mayBe
  }

  /**
   * The cache entry for a use. The last one is remembered, because callers call `mayBe` and then `of` with the same
   * use.
   */
  #cacheEntryOf(use: Use): CachedMeanings {
    if (this.#last?.use === use) return this.#last.known
    const around = this.#around(use)
    const key = around === null ? null : `${use.flags} ${use.qualifier} ${around}`
    let known = key === null ? undefined : this.#known.get(key)
    if (known === undefined) {
      known = { meanings: null, mayBe: null }
      this.#kinds++
      if (key !== null) this.#known.set(key, known)
    }
    this.#last = { use, known }
    return known
  }

  /** A key for the surroundings that may affect the meaning of a use; null when every line may differ. */
  #around(use: Use): string | null {
    const { flags, qualifier, line } = use
    const isMember = (flags & USE.member) !== 0
    const hasValue = isMember && ((use.path ?? null) !== null || isNamed(qualifier))
    if (hasValue && this.#hasBlocks) return null
    const seen = this.#borders.length === 0 ? 0 : this.#borders.findLastIndex((border) => border <= line)
    if (hasValue) return `${seen} ${this.#declaredAs(use)}`
    if (isMember)
      return isSelfReference(qualifier) ? `${seen} ${this.#file.outline.enclosingType(line)}` : `${seen}`
    // A local variable hides a definition of the file and, without `this`, a member.
    const inModule = this.#file.family === "rust" ? this.#file.outline.moduleAround(line, line) : null
    if (HAS_HIDING_LOCALS.test(this.#file.family))
      return `${seen} ${inModule?.startLine} ${this.#file.outline.enclosingType(line)} ${isDeclaredNear(use, this.#file)}`
    if (!this.#isOwn && !hasImplicitThis(this.#file.family)) return ""
    return `${seen} ${this.#file.outline.enclosingType(line)} ${isDeclaredNear(use, this.#file)}`
  }

  #declaredAs(use: Use): string {
    const declared = this.#types.declared(use, this.#file)
    return declared === null
      ? ""
      : [...declared].map(([type, { files }]) => `${type} ${files.map(({ id }) => id)}`).join()
  }
}

/**
 * Lines at which the visible definitions may change: the first line of each definition and, for a definition inside a
 * function, the function's first line and the line after its end.
 */
function bordersOf(own: readonly SymbolDefinition[], file: FileView): number[] {
  const lines = own.flatMap(({ symbol }) => {
    const around = symbol.local === 0 ? null : enclosingFunction(symbol, file)
    return [symbol.startLine, ...(around === null ? [] : [around.startLine, around.endLine + 1])]
  })
  return lines.sort((one, other) => one - other)
}
