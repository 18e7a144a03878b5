import type { Memory } from "../app/knowledge/memory.ts"
import { log } from "../base/log.ts"
import type { Session } from "./session.ts"

/** The knowledge of one connection, opened by the first call that needs it. */
export class Memories implements AsyncDisposable {
  readonly #session: Session
  #memory: Promise<Memory> | null = null

  constructor(session: Session) {
    this.#session = session
  }

  use<T>(act: (memory: Memory) => Promise<T>): Promise<T> {
    return this.#session.track(this.#opened().then((memory) => this.#act(memory, act)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const memory = await this.#memory?.catch(() => null)
    memory?.close()
  }

  async #act<T>(memory: Memory, act: (memory: Memory) => Promise<T>): Promise<T> {
    try {
      return await act(memory)
    } finally {
      memory.embedSoon()
    }
  }

  /** What could not be opened may be mended when the next call comes. */
  async #opened(): Promise<Memory> {
    this.#memory ??= this.#open()
    try {
      return await this.#memory
    } catch (error) {
      this.#memory = null
      throw error
    }
  }

  async #open(): Promise<Memory> {
    const { openMemory } = await import("../app/knowledge/memory.ts")
    const memory = await openMemory(await this.#session.options())
    memory
      .warm()
      .catch((error: unknown) => log.warn("recall goes by its own postings", { message: String(error) }))
    return memory
  }
}
