import type { ReposConfig } from "../../config/load-repos.ts"
import type { ConfigFlags } from "../../config/resolve.ts"
import type { Project } from "../open-project.ts"
import type { Repository } from "./configured.ts"
import { openClone } from "./open-clone.ts"

/** Clones that are open for reading: opened when first asked, kept for the next question. */
export class Clones implements Disposable {
  readonly #config: ReposConfig
  readonly #flags: ConfigFlags
  readonly #open = new Map<string, Project>()
  #users = 0
  #isLeft = false

  constructor(config: ReposConfig, flags: ConfigFlags = {}) {
    this.#config = config
    this.#flags = flags
  }

  /** Null before it is cloned. */
  open(repository: Repository): Project | null {
    const known = this.#open.get(repository.id)
    if (known) return known
    const project = openClone(repository, this.#config, this.#flags)
    if (project !== null) this.#open.set(repository.id, project)
    return project
  }

  /** They stay open while the answer is being made. */
  async use<T>(act: (open: (repository: Repository) => Project | null) => Promise<T>): Promise<T> {
    this.#users++
    try {
      return await act((repository) => this.open(repository))
    } finally {
      this.#users--
      if (this.#isLeft && this.#users === 0) this[Symbol.dispose]()
    }
  }

  /** Closes them unless something is being answered; the next question opens them again. */
  rest(): void {
    if (this.#users === 0) this[Symbol.dispose]()
  }

  /** Closes them for good, once everything is answered. */
  leave(): void {
    this.#isLeft = true
    this.rest()
  }

  [Symbol.dispose](): void {
    for (const project of this.#open.values()) project.close()
    this.#open.clear()
  }
}
