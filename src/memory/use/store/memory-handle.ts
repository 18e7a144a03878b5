import { join } from "node:path"
import { AmanError, InFlight, log, userDataDir } from "../../../base/index.ts"
import { knowledgeError } from "../../../store/index.ts"
import { Knowledge } from "../../knowledge.ts"
import type { Memory } from "../memory.ts"

export type OpenMemory = (how: { readonly mustWrite: boolean }) => Promise<Memory>

/**
 * Gives calls of a server access to the memory. The first call opens it; it is opened again after it was repaired or
 * has become writable.
 */
export class MemoryHandle implements AsyncDisposable {
  readonly #open: OpenMemory
  readonly #now: () => number
  #memory: Promise<Memory> | null = null
  readonly #calls = new InFlight()
  /** Memories that were replaced by a newly opened one; they stay open while running calls use them. */
  readonly #replaced = new Set<Memory>()
  #retryAt = 0
  /** The current memory; null before it is opened, and after it had to be closed. */
  opened: Memory | null = null

  /** `now`: milliseconds of a monotonic clock. */
  constructor(open: OpenMemory, now: () => number = () => performance.now()) {
    this.#open = open
    this.#now = now
  }

  /** Calls `act`; the memory stays open until it returns. */
  async use<T>(act: (memory: Memory) => Promise<T>): Promise<T> {
    try {
      return await this.#calls.track(withRepair(() => this.#once(act)))
    } finally {
      if (this.#calls.count === 0) this.#closeReplaced()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.opened = null
    const memory = await this.#memory?.catch(() => null)
    memory?.close()
    this.#closeReplaced()
  }

  async #once<T>(act: (memory: Memory) => Promise<T>): Promise<T> {
    const memory = await this.#current()
    try {
      return await act(memory)
    } catch (error) {
      // Closes the memory, so that the next call opens it again: this process or `aman memory recover` may have
      // repaired it by then.
      if (asDamage(error) !== null || !memory.knowledge.isCurrent) this.#stopUsing(memory)
      throw error
    }
  }

  /**
   * The memory, which is opened if needed. If opening failed, or succeeded only for reading, a later call tries again.
   */
  async #current(): Promise<Memory> {
    if (this.opened?.knowledge.isCurrent === false) this.#stopUsing(this.opened)
    if (this.opened?.knowledge.readonly && this.#now() >= this.#retryAt) await this.#replace(this.opened)
    this.#memory ??= this.#openFirst()
    try {
      return await this.#memory
    } catch (error) {
      this.#memory = null
      throw error
    }
  }

  async #openFirst(): Promise<Memory> {
    const memory = await this.#open({ mustWrite: false })
    this.#retryAt = this.#now() + RETRY_MS
    this.#adopt(memory)
    return memory
  }

  /**
   * Tries to open a read-only memory for writing. If that fails, the open one stays in use, because its index is
   * already loaded.
   */
  async #replace(old: Memory): Promise<void> {
    this.#retryAt = Number.POSITIVE_INFINITY
    try {
      const memory = await this.#open({ mustWrite: true })
      this.#replaced.add(old)
      this.#memory = Promise.resolve(memory)
      this.#adopt(memory)
    } catch {
      this.#retryAt = this.#now() + RETRY_MS
    }
  }

  #adopt(memory: Memory): void {
    this.opened = memory
    // Loads the entries before the first question arrives. If loading fails, the call that needs the memory reports
    // the error.
    memory.loaded().catch((error: unknown) => log.warn("memory not read in yet", { message: String(error) }))
  }

  #closeReplaced(): void {
    for (const memory of this.#replaced) memory.close()
    this.#replaced.clear()
  }

  /** Stops using this memory. The next call opens the file again and reports the error if that fails. */
  #stopUsing(memory: Memory): void {
    this.#replaced.add(memory)
    if (this.opened !== memory) return
    this.opened = null
    this.#memory = null
  }
}

/** Time in ms before the next attempt to open a read-only memory for writing. */
const RETRY_MS = 5000

/**
 * Runs `act`, which opens and closes the store. When the store is damaged but its log is intact, the derived
 * tables are rebuilt, a warning is logged, and `act` runs again. Otherwise throws KNOWLEDGE_CORRUPT.
 */
export async function withRepair<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (cause) {
    const error = asDamage(cause)
    if (error === null) throw cause
    if (!repair()) throw error
    log.warn("the memory file was damaged and has been repaired from its log; nothing was lost", {
      found: error.message,
    })
    return await act()
  }
}

/** The KNOWLEDGE_CORRUPT error for a cause that means damage; null for any other cause. */
function asDamage(cause: unknown): AmanError | null {
  const error = knowledgeError(cause, knowledgePath())
  return error instanceof AmanError && error.code === "KNOWLEDGE_CORRUPT" ? error : null
}

function repair(): boolean {
  try {
    using knowledge = new Knowledge({ path: knowledgePath(), now: Date.now })
    return knowledge.repair()
  } catch (error) {
    log.debug("the memory file was not repaired", { reason: String(error) })
    return false
  }
}

export type MemoryChoice = { readonly cwd: string; readonly root?: string | undefined }

export function knowledgePath(): string {
  return join(userDataDir(), "knowledge.db")
}
