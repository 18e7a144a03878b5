import type { IndexProgress } from "../../app/answers.ts"
import type { Memory } from "../../app/memory/memory.ts"
import { asDamage, withRepair } from "../../app/memory/with-repair.ts"
import type { ProjectOptions } from "../../app/project/open-project.ts"
import type { ServedProject } from "../../app/project/serve-project.ts"
import { AmanError } from "../../base/errors.ts"
import { log } from "../../base/log.ts"

/** A project and its memory, each opened on first use. Connections of one process may share it. */
export class Workplace implements AsyncDisposable {
  readonly options: ProjectOptions
  /** Listeners for indexing progress. */
  readonly listeners = new Set<(progress: IndexProgress) => void>()
  #project: Promise<ServedProject> | null = null
  readonly #memory: KeptMemory
  #served: ServedProject | null = null

  constructor(options: ProjectOptions) {
    this.options = options
    this.#memory = new KeptMemory(async (how) => {
      const { openMemory } = await import("../../app/memory/memory.ts")
      return openMemory(options, how)
    })
  }

  /** Project and memory, as far as they are open; opens nothing. */
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
    const { serveProject } = await import("../../app/project/serve-project.ts")
    const onProgress = (progress: IndexProgress) => {
      for (const listener of this.listeners) listener(progress)
    }
    this.#served = serveProject({ ...this.options, onProgress })
    return this.#served
  }
}

export type OpenMemory = (how: { readonly mustWrite: boolean }) => Promise<Memory>

/** The memory, opened by the first call and opened again when it has become writable or was repaired. */
export class KeptMemory implements AsyncDisposable {
  readonly #open: OpenMemory
  readonly #now: () => number
  #memory: Promise<Memory> | null = null
  #calls = 0
  /** Replaced memories that running calls may still use. */
  readonly #before = new Set<Memory>()
  #tryAgainAt = 0
  /** The memory if it is open, else null. */
  opened: Memory | null = null

  /** `now`: milliseconds of a monotonic clock. */
  constructor(open: OpenMemory, now: () => number = () => performance.now()) {
    this.#open = open
    this.#now = now
  }

  /** Calls `act`; the memory stays open until it returns. */
  async use<T>(act: (memory: Memory) => Promise<T>): Promise<T> {
    this.#calls++
    try {
      return await withRepair(async () => {
        const memory = await this.#current()
        try {
          return await act(memory)
        } catch (error) {
          // Closed, so that it is opened again after a repair, here or by `aman memory recover`.
          if (asDamage(error) !== null || !memory.knowledge.isCurrent) this.#leave(memory)
          throw error
        }
      })
    } finally {
      this.#calls--
      if (this.#calls === 0) this.#closeBefore()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.opened = null
    const memory = await this.#memory?.catch(() => null)
    memory?.close()
    this.#closeBefore()
  }

  /** The open memory. One that could not be opened, or only for reading, is tried again by a later call. */
  async #current(): Promise<Memory> {
    if (this.opened?.knowledge.isCurrent === false) this.#leave(this.opened)
    if (this.opened?.knowledge.readonly && this.#now() >= this.#tryAgainAt) await this.#replace(this.opened)
    this.#memory ??= this.#first()
    try {
      return await this.#memory
    } catch (error) {
      this.#memory = null
      throw error
    }
  }

  async #first(): Promise<Memory> {
    const memory = await this.#open({ mustWrite: false })
    this.#tryAgainAt = this.#now() + waitAfter(memory.knowledge.unwritable)
    this.#serve(memory)
    return memory
  }

  /**
   * Tries to open the memory for writing; if that fails, the old one, with its index in memory, stays in use.
   */
  async #replace(old: Memory): Promise<void> {
    this.#tryAgainAt = Number.POSITIVE_INFINITY
    try {
      const memory = await this.#open({ mustWrite: true })
      this.#before.add(old)
      this.#memory = Promise.resolve(memory)
      this.#serve(memory)
    } catch (error) {
      this.#tryAgainAt = this.#now() + waitAfter(error)
    }
  }

  #serve(memory: Memory): void {
    this.opened = memory
    memory
      .warm()
      .catch((error: unknown) => log.warn("recall goes by its own postings", { message: String(error) }))
  }

  #closeBefore(): void {
    for (const memory of this.#before) memory.close()
    this.#before.clear()
  }

  /** Stops using a memory; the next call opens the file that is there then, or fails with its problem. */
  #leave(memory: Memory): void {
    this.#before.add(memory)
    if (this.opened !== memory) return
    this.opened = null
    this.#memory = null
  }
}

const FULL_AGAIN_MS = 5000
const FORBIDDEN_AGAIN_MS = 60_000
const FORBIDDEN = /EROFS|EACCES|EPERM|READONLY|CANTOPEN/

/** Wait before the next try: long after a permission error, which seldom changes; short after a full disk. */
function waitAfter(error: unknown): number {
  const { code } = ((error instanceof AmanError && error.cause) || {}) as { readonly code?: string }
  return FORBIDDEN.test(code ?? "") ? FORBIDDEN_AGAIN_MS : FULL_AGAIN_MS
}
