import { hasImplicitThis } from "../code/family.ts"
import { USE, type Use } from "../code/use-code.ts"
import type { Candidates } from "./candidates.ts"
import type { Definition } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { likeliestMeanings, type Meaning, mayMean } from "./resolve.ts"
import { functionAround, hasBlocks, isDeclaredNear } from "./scope.ts"
import type { Types } from "./types.ts"

/** Of uses that cannot differ. */
type Known = { meanings: readonly Meaning[] | null; mayBe: boolean | null }

/**
 * What the uses of one name in one file mean most likely. Worked out once for those that cannot differ: alike in flags
 * and in what stands before the dot, with the same definitions of the file around them, and with the same type around,
 * or, where a name stands before the dot, with that name declared as the same.
 */
export class FileMeanings {
  readonly #file: FileView
  readonly #candidates: Candidates
  readonly #types: Types
  readonly #known = new Map<string, Known>()
  #last: { readonly use: Use; readonly known: Known } | null = null
  #kinds = 0
  /** The file defines the name itself. */
  readonly #isOwn: boolean
  /** In several blocks: which of them is meant depends on the line. */
  readonly #hasBlocks: boolean
  /** Some of them inside functions, where they are known only. */
  readonly #hasLocals: boolean
  /** Lines, ascending, between which all uses see the same of the file's own definitions. */
  readonly #borders: readonly number[]

  constructor(file: FileView, candidates: Candidates, types: Types) {
    this.#file = file
    this.#candidates = candidates
    this.#types = types
    const own = candidates.ownedBy(file.id)
    this.#isOwn = own.length > 0
    this.#hasBlocks = own.length > 1 && hasBlocks(file.family)
    this.#hasLocals = own.some(({ symbol }) => symbol.local !== 0)
    this.#borders = this.#hasBlocks || this.#hasLocals ? bordersOf(own, file) : []
  }

  /** How many were told apart so far. */
  get kinds(): number {
    return this.#kinds
  }

  of(use: Use): readonly Meaning[] {
    const known = this.#knownOf(use)
    known.meanings ??= likeliestMeanings(use, this.#file, this.#candidates, this.#types)
    return known.meanings
  }

  /**
   * Whether a use may mean one of these, the same at every call, with confidence; told without weighing all namesakes.
   */
  mayBe(use: Use, targets: readonly Definition[]): boolean {
    const known = this.#knownOf(use)
    known.mayBe ??= mayMean(use, this.#file, { candidates: this.#candidates, types: this.#types, targets })
    return known.mayBe
  }

  /** Of one use both are asked, one after the other. */
  #knownOf(use: Use): Known {
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

  /** As much of what stands around a use as says anything of it; null where that may be the very line. */
  #around(use: Use): string | null {
    const { flags, qualifier, line } = use
    const isMember = (flags & USE.member) !== 0
    const isNamed =
      isMember &&
      ((use.path ?? null) !== null || (qualifier !== null && qualifier !== "?" && qualifier !== "this"))
    if (isNamed && this.#hasBlocks) return null
    const seen = this.#borders.length === 0 ? 0 : this.#borders.findLastIndex((border) => border <= line)
    if (isNamed) return `${seen} ${this.#declaredAs(use)}`
    if (isMember)
      return qualifier === "this" ? `${seen} ${this.#file.outline.enclosingType(line)}` : `${seen}`
    if (!this.#isOwn && !hasImplicitThis(this.#file.family)) return ""
    return `${seen} ${this.#file.outline.enclosingType(line)} ${this.#isOwn && isDeclaredNear(use, this.#file)}`
  }

  #declaredAs(use: Use): string {
    const declared = this.#types.declared(use, this.#file)
    return declared === null
      ? ""
      : [...declared].map(([type, { files }]) => `${type} ${files.map(({ id }) => id)}`).join()
  }
}

/** Where a definition begins, and where the function that a local is in begins and has ended. */
function bordersOf(own: readonly Definition[], file: FileView): number[] {
  const lines = own.flatMap(({ symbol }) => {
    const around = symbol.local === 0 ? null : functionAround(symbol, file)
    return [symbol.startLine, ...(around === null ? [] : [around.startLine, around.endLine + 1])]
  })
  return lines.sort((one, other) => one - other)
}
