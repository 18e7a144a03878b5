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

  [Symbol.dispose](): void {
    for (const project of this.#open.values()) project.close()
    this.#open.clear()
  }
}
