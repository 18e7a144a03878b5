import { hasImplicitThis } from "../code/family.ts"
import { USE, type Use } from "../code/use-code.ts"
import type { Candidates } from "./candidates.ts"
import type { FileView } from "./file-view.ts"
import { likeliestMeanings, type Meaning } from "./resolve.ts"
import { hasBlocks, isDeclaredNear } from "./scope.ts"
import type { Types } from "./types.ts"

/** What the uses of one name in one file mean most likely; those that cannot differ are worked out once. */
export class FileMeanings {
  readonly #file: FileView
  readonly #candidates: Candidates
  readonly #types: Types
  readonly #known = new Map<string, readonly Meaning[]>()
  /** How many the file defines itself. Which of several blocks is meant depends on the line. */
  readonly #own: number
  /** Some of them inside functions, where they are known only. */
  readonly #hasLocals: boolean

  constructor(file: FileView, candidates: Candidates, types: Types) {
    this.#file = file
    this.#candidates = candidates
    this.#types = types
    const own = candidates.ownedBy(file.id)
    this.#own = own.length
    this.#hasLocals = own.some(({ symbol }) => symbol.local !== 0)
  }

  of(use: Use): readonly Meaning[] {
    if (this.#own > 1 && hasBlocks(this.#file.family)) return this.#workOut(use)
    const key = `${use.flags} ${use.qualifier} ${this.#around(use)}`
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

  /** As much of what stands around a use as says anything of it. */
  #around(use: Use): string {
    const { flags, qualifier, line } = use
    const isMember = (flags & USE.member) !== 0
    const isNamed = isMember && qualifier !== null && qualifier !== "?" && qualifier !== "this"
    if (isNamed || this.#hasLocals) return this.#functionAround(line)
    if (isMember) return qualifier === "this" ? `${this.#file.enclosingType(line)}` : ""
    if (this.#own === 0 && !hasImplicitThis(this.#file.family)) return ""
    return `${this.#file.enclosingType(line)} ${this.#own > 0 && isDeclaredNear(use, this.#file)}`
  }

  #functionAround(line: number): string {
    const around = this.#file.enclosing(line)
    return around === null ? "" : `${around.ordinal} ${around.index}`
  }
}
