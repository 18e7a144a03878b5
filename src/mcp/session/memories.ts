import type { Memory } from "../../app/memory/memory.ts"
import type { Session } from "./session.ts"

/** Access to the memory for one connection. */
export class Memories {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  use<T>(act: (memory: Memory) => Promise<T>): Promise<T> {
    return this.#session.track(this.#act(act))
  }

  async #act<T>(act: (memory: Memory) => Promise<T>): Promise<T> {
    const place = await this.#session.place()
    return place.useMemory(async (memory) => {
      try {
        await memory.lookAgain()
        return await act(memory)
      } finally {
        memory.embedSoon()
      }
    })
  }
}
