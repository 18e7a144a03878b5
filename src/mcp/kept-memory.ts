import type { Memory } from "../app/knowledge/memory.ts"
import { AmanError } from "../base/errors.ts"
import { log } from "../base/log.ts"

export type OpenMemory = (how: { readonly mustWrite: boolean }) => Promise<Memory>

/** What is known, opened by the first call, and anew when a later one finds that it can be written by then. */
export class KeptMemory implements AsyncDisposable {
  readonly #open: OpenMemory
  readonly #now: () => number
  #memory: Promise<Memory> | null = null
  #calls = 0
  /** Gave way to one that can be written; calls may still hold it. */
  #before: Memory | null = null
  #tryAgainAt = 0
  /** Once it is open, for those who only look. */
  opened: Memory | null = null

  /** `now` in milliseconds, of a clock that never goes back. */
  constructor(open: OpenMemory, now: () => number = () => performance.now()) {
    this.#open = open
    this.#now = now
  }

  /** It stays open until the call has ended. */
  async use<T>(act: (memory: Memory) => Promise<T>): Promise<T> {
    this.#calls++
    try {
      return await act(await this.#current())
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

  /** What could not be opened, or not for writing, may be mended when a later call comes. */
  async #current(): Promise<Memory> {
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

  /** Where it still cannot be written the old one goes on, with all that was read into its index. */
  async #replace(old: Memory): Promise<void> {
    this.#tryAgainAt = Number.POSITIVE_INFINITY
    try {
      const memory = await this.#open({ mustWrite: true })
      this.#before = old
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
    this.#before?.close()
    this.#before = null
  }
}

const FULL_AGAIN_MS = 5000
const FORBIDDEN_AGAIN_MS = 60_000
const FORBIDDEN = /EROFS|EACCES|EPERM|READONLY|CANTOPEN/

/** A sandbox stays as it is; a disk is full only until somebody makes room. */
function waitAfter(error: unknown): number {
  const { code } = ((error instanceof AmanError && error.cause) || {}) as { readonly code?: string }
  return FORBIDDEN.test(code ?? "") ? FORBIDDEN_AGAIN_MS : FULL_AGAIN_MS
}
