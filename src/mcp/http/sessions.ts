import type { Connection } from "../connection.ts"
import type { Gate } from "../transports/gate.ts"

/** One client of a server over HTTP. */
export type HttpSession = {
  readonly id: string
  /** Which token it was made with: it is found by no other. */
  readonly owner: number
  readonly gate: Gate
  readonly connection: Connection
  /** Streams on which the client listens. */
  listening: number
  /** When it was last heard of; milliseconds of a clock that never goes back. */
  seenAt: number
}

/** The clients of a server over HTTP; whoever is silent for long has left. */
export class Sessions<S extends HttpSession> {
  readonly #most: number
  readonly #idleMs: number
  readonly #now: () => number
  readonly #byId = new Map<string, S>()
  readonly #timer: ReturnType<typeof setInterval>
  /** Those that are being made count as well. */
  #coming = 0

  constructor(options: { readonly most: number; readonly idleMs: number; readonly now: () => number }) {
    this.#most = options.most
    this.#idleMs = options.idleMs
    this.#now = options.now
    this.#timer = setInterval(() => this.#expire(), Math.min(30_000, options.idleMs / 2))
    this.#timer.unref()
  }

  get count(): number {
    return this.#byId.size + this.#coming
  }

  find(id: string, owner: number): S | null {
    const session = this.#byId.get(id)
    if (session === undefined || session.owner !== owner) return null
    session.seenAt = this.#now()
    return session
  }

  /** Null where there are as many as there may be. */
  async add(make: () => Promise<S>): Promise<S | null> {
    if (this.count >= this.#most) this.#expire()
    if (this.count >= this.#most) return null
    this.#coming++
    try {
      const session = await make()
      this.#byId.set(session.id, session)
      return session
    } finally {
      this.#coming--
    }
  }

  async remove(id: string): Promise<void> {
    const session = this.#byId.get(id)
    if (session === undefined) return
    this.#byId.delete(id)
    await session.connection[Symbol.asyncDispose]()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.allSettled([...this.#byId.keys()].map((id) => this.remove(id)))
  }

  #expire(): void {
    const now = this.#now()
    for (const { id, gate, listening, seenAt } of [...this.#byId.values()]) {
      if (gate.open === 0 && listening === 0 && now - seenAt >= this.#idleMs) void this.remove(id)
    }
  }
}
