import type { IndexProgress } from "../app/answers.ts"
import type { Memory } from "../app/knowledge/memory.ts"
import type { ProjectOptions } from "../app/open-project.ts"
import type { ServedProject } from "../app/serve-project.ts"
import { KeptMemory } from "./kept-memory.ts"

/** One project and what is known of it, each opened when first asked. Connections of one process may share it. */
export class Workplace implements AsyncDisposable {
  readonly options: ProjectOptions
  /** Who wants to hear how far indexing is. */
  readonly listeners = new Set<(progress: IndexProgress) => void>()
  #project: Promise<ServedProject> | null = null
  readonly #memory: KeptMemory
  #served: ServedProject | null = null

  constructor(options: ProjectOptions) {
    this.options = options
    this.#memory = new KeptMemory(async (how) => {
      const { openMemory } = await import("../app/knowledge/memory.ts")
      return openMemory(options, how)
    })
  }

  /** Once they are open, for those who only look. */
  get opened(): { readonly project: ServedProject | null; readonly memory: Memory | null } {
    return { project: this.#served, memory: this.#memory.opened }
  }

  project(): Promise<ServedProject> {
    this.#project ??= this.#serve()
    return this.#project
  }

  useMemory<T>(act: (memory: Memory) => Promise<T>): Promise<T> {
    return this.#memory.use(act)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#served = null
    await this.#memory[Symbol.asyncDispose]()
    const project = await this.#project?.catch(() => null)
    await project?.close()
  }

  async #serve(): Promise<ServedProject> {
    const { serveProject } = await import("../app/serve-project.ts")
    const onProgress = (progress: IndexProgress) => {
      for (const listener of this.listeners) listener(progress)
    }
    this.#served = serveProject({ ...this.options, onProgress })
    return this.#served
  }
}
