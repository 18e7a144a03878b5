import { hasImplicitThis } from "../code/family.ts"
import { USE, type Use } from "../code/use-code.ts"
import type { Candidates } from "./candidates.ts"
import type { Definition } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { AROUND } from "./outline.ts"
import { likeliestMeanings, type Meaning } from "./resolve.ts"
import { functionAround, hasBlocks, isDeclaredNear } from "./scope.ts"
import type { Types } from "./types.ts"

/**
 * What the uses of one name in one file mean most likely. Worked out once for those that cannot differ: alike in flags and
 * in what stands before the dot, with the same function or type and the same definitions of the file around them, and, where a
 * name stands before the dot, with that name bound to the same.
 */
export class FileMeanings {
  readonly #file: FileView
  readonly #candidates: Candidates
  readonly #types: Types
  readonly #known = new Map<string, readonly Meaning[]>()
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

  of(use: Use): readonly Meaning[] {
    const around = this.#around(use)
    if (around === null) return this.#workOut(use)
    const key = `${use.flags} ${use.qualifier} ${around}`
    let known = this.#known.get(key)
    if (!known) {
      known = this.#workOut(use)
      this.#known.set(key, known)
    }
    return known
  }

  #workOut(use: Use): readonly Meaning[] {
    return likeliestMeanings(use, this.#file, this.#candidates, this.#types)
  }

  /** As much of what stands around a use as says anything of it; null where that may be the very line. */
  #around(use: Use): string | null {
    const { flags, qualifier, line } = use
    const isMember = (flags & USE.member) !== 0
    const isNamed = isMember && qualifier !== null && qualifier !== "?" && qualifier !== "this"
    if (isNamed) return this.#hasBlocks ? null : this.#aroundNamed(qualifier, line)
    const seen = this.#borders.length === 0 ? 0 : this.#borders.findLastIndex((border) => border <= line)
    if (isMember)
      return qualifier === "this" ? `${seen} ${this.#file.outline.enclosingType(line)}` : `${seen}`
    if (!this.#isOwn && !hasImplicitThis(this.#file.family)) return ""
    return `${seen} ${this.#file.outline.enclosingType(line)} ${this.#isOwn && isDeclaredNear(use, this.#file)}`
  }

  /** The function or type around, and what the name before the dot was bound to last: it may be bound anew. */
  #aroundNamed(qualifier: string, line: number): string {
    const holder = this.#file.outline.innermost(line, AROUND.holder)
    return `${holder} ${this.#file.boundBefore(qualifier, line) ?? ""}`
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
