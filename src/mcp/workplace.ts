import type { IndexProgress } from "../app/answers.ts"
import type { Memory } from "../app/knowledge/memory.ts"
import type { ProjectOptions } from "../app/open-project.ts"
import type { ServedProject } from "../app/serve-project.ts"
import { log } from "../base/log.ts"

/** One project and what is known of it, each opened when first asked. Connections of one process may share it. */
export class Workplace implements AsyncDisposable {
  readonly options: ProjectOptions
  /** Who wants to hear how far indexing is. */
  readonly listeners = new Set<(progress: IndexProgress) => void>()
  #project: Promise<ServedProject> | null = null
  #memory: Promise<Memory> | null = null
  /** When it was opened last, of a clock that never goes back; and the one before, which calls may still hold. */
  #openedAt = 0
  #before: Memory | null = null
  /** Once they are open, for those who only look. */
  opened: { project: ServedProject | null; memory: Memory | null } = { project: null, memory: null }

  constructor(options: ProjectOptions) {
    this.options = options
  }

  project(): Promise<ServedProject> {
    this.#project ??= this.#serve()
    return this.#project
  }

  /** What could not be opened, or not for writing, may be mended when a later call comes. */
  async memory(): Promise<Memory> {
    const opened = this.opened.memory
    const isStuck = opened?.knowledge.readonly && performance.now() - this.#openedAt > OPEN_AGAIN_MS
    if (isStuck) {
      this.#openedAt = performance.now()
      this.#before?.close()
      this.#before = opened
      this.opened.memory = null
      this.#memory = null
    }
    this.#memory ??= this.#remember()
    try {
      return await this.#memory
    } catch (error) {
      this.#memory = null
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.opened = { project: null, memory: null }
    const memory = await this.#memory?.catch(() => null)
    memory?.close()
    this.#before?.close()
    const project = await this.#project?.catch(() => null)
    await project?.close()
  }

  async #serve(): Promise<ServedProject> {
    const { serveProject } = await import("../app/serve-project.ts")
    const onProgress = (progress: IndexProgress) => {
      for (const listener of this.listeners) listener(progress)
    }
    this.opened.project = serveProject({ ...this.options, onProgress })
    return this.opened.project
  }

  async #remember(): Promise<Memory> {
    const { openMemory } = await import("../app/knowledge/memory.ts")
    const memory = await openMemory(this.options)
    memory
      .warm()
      .catch((error: unknown) => log.warn("recall goes by its own postings", { message: String(error) }))
    this.opened.memory = memory
    this.#openedAt = performance.now()
    return memory
  }
}

/** Longer than a call holds what it was given; a disk or a folder is mended by a person. */
const OPEN_AGAIN_MS = 5000
