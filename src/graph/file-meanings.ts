import { hasImplicitThis } from "../code/family.ts"
import { USE, type Use } from "../code/use-code.ts"
import type { Candidates } from "./candidates.ts"
import type { FileView } from "./file-view.ts"
import { likeliest, type Meaning, meaningsOf } from "./resolve.ts"
import { hasBlocks } from "./scope.ts"
import type { Types } from "./types.ts"

/** What the uses of one name in one file mean most likely; those that cannot differ are worked out once. */
export class FileMeanings {
  readonly #file: FileView
  readonly #candidates: Candidates
  readonly #types: Types
  readonly #known = new Map<string, readonly Meaning[]>()
  /** How many the file defines itself. Which of several blocks is meant depends on the line. */
  readonly #own: number

  constructor(file: FileView, candidates: Candidates, types: Types) {
    this.#file = file
    this.#candidates = candidates
    this.#types = types
    this.#own = candidates.ownedBy(file.id)
  }

  of(use: Use): readonly Meaning[] {
    if (this.#own > 1 && hasBlocks(this.#file.family)) return this.#workOut(use)
    const key = `${use.flags} ${use.qualifier} ${this.#isTold(use) ? this.#around(use.line) : ""}`
    let known = this.#known.get(key)
    if (!known) {
      known = this.#workOut(use)
      this.#known.set(key, known)
    }
    return known
  }

  #workOut(use: Use): readonly Meaning[] {
    return likeliest(meaningsOf(use, this.#file, this.#candidates, this.#types))
  }

  /** Whether what stands around a use says anything of it. */
  #isTold({ flags }: Use): boolean {
    return this.#own > 0 || (flags & USE.member) !== 0 || hasImplicitThis(this.#file.family)
  }

  #around(line: number): string {
    const around = this.#file.enclosing(line)
    return around === null ? "" : `${around.ordinal} ${around.index}`
  }
}
