import { existsSync } from "node:fs"
import type { ConfigFlags } from "../../config/resolve.ts"
import { repositoryName } from "../../repos/address.ts"
import { openProject, type Project, type ProjectOptions } from "../project/open-project.ts"
import type { Repository } from "./configured.ts"

/** Open clones: opened on first use, kept for later queries. */
export class OpenClones implements Disposable {
  readonly #flags: ConfigFlags
  readonly #open = new Map<string, Project>()
  #users = 0
  #isLeft = false

  constructor(flags: ConfigFlags = {}) {
    this.#flags = flags
  }

  /** Opens the clone of a repository as a project, or returns the open one; null if it is not cloned yet. */
  open(repository: Repository): Project | null {
    const openAlready = this.#open.get(repository.id)
    if (openAlready) return openAlready
    const project = openClone(repository, this.#flags)
    if (project !== null) this.#open.set(repository.id, project)
    return project
  }

  /** Calls `act`; clones stay open until it returns. */
  async use<T>(act: (open: (repository: Repository) => Project | null) => Promise<T>): Promise<T> {
    this.#users++
    try {
      return await act((repository) => this.open(repository))
    } finally {
      this.#users--
      if (this.#isLeft && this.#users === 0) this[Symbol.dispose]()
    }
  }

  /** Closes the clones unless a query uses them; the next query opens them again. */
  closeIfIdle(): void {
    if (this.#users === 0) this[Symbol.dispose]()
  }

  /** Closes the clones for good once the running queries have ended. */
  closeWhenIdle(): void {
    this.#isLeft = true
    this.closeIfIdle()
  }

  [Symbol.dispose](): void {
    for (const project of this.#open.values()) project.close()
    this.#open.clear()
  }
}

/** Opens a clone as a project with its index outside the clone; null before it is cloned. */
export function openClone(
  { address, clone, index }: Repository,
  flags: ConfigFlags = {},
  { isFixed = false }: Pick<ProjectOptions, "isFixed"> = {},
): Project | null {
  if (!existsSync(clone)) return null
  return openProject({
    ...flags,
    isFixed,
    root: clone,
    cwd: clone,
    // Clones are named by their address, because the name of a clone's folder is an encoded address, and differs on a
    // team's node.
    name: repositoryName({ ...address, ref: null }),
    "index.dir": index,
    // The clone has no configured embedder: code of other repositories is not sent to one, and a sync must not wait
    // for a model. Built-in vectors need no embedder.
    "embeddings.provider": "static",
  })
}
