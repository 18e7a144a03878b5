import type { Memory } from "../app/knowledge/memory.ts"
import type { ProjectOptions } from "../app/open-project.ts"

/** The knowledge of one connection, opened by the first call that needs it. */
export class Memories implements AsyncDisposable {
  readonly #options: () => Promise<ProjectOptions>
  #memory: Promise<Memory> | null = null

  constructor(options: () => Promise<ProjectOptions>) {
    this.#options = options
  }

  async use<T>(act: (memory: Memory) => Promise<T>): Promise<T> {
    this.#memory ??= this.#open()
    try {
      return await act(await this.#memory)
    } catch (error) {
      // What could not be opened may be mended when the next call comes.
      if (await this.#memory?.then(() => false, () => true)) this.#memory = null
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const memory = await this.#memory?.catch(() => null)
    memory?.close()
  }

  async #open(): Promise<Memory> {
    const { openMemory } = await import("../app/knowledge/memory.ts")
    return openMemory(await this.#options())
  }
}
