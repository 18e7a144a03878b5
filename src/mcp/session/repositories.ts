import type { ServedRepositories } from "../../app/repositories/serve.ts"
import { log } from "../../base/log.ts"
import type { ConfigFlags } from "../../config/resolve.ts"
import type { Calls } from "./calls.ts"

/** Other repositories, opened on first use; shared by all connections of the process. */
export class Repositories implements AsyncDisposable {
  readonly #flags: ConfigFlags
  readonly #calls: Calls
  #served: Promise<ServedRepositories> | null = null
  #hasStarted = false

  /** `flags`: settings given when the server was started. */
  constructor(flags: ConfigFlags, calls: Calls) {
    this.#flags = flags
    this.#calls = calls
  }

  /** Starts fetching due repositories; called once a client is connected. */
  start(): void {
    if (this.#hasStarted) return
    this.#hasStarted = true
    this.#opened()
      .then((served) => served.start())
      .catch((error: unknown) => log.error("cannot serve other repositories", { message: String(error) }))
  }

  use<T>(act: (served: ServedRepositories) => T | Promise<T>): Promise<T> {
    return this.#calls.track(this.#opened().then(act))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const served = await this.#served?.catch(() => null)
    await served?.[Symbol.asyncDispose]()
  }

  #opened(): Promise<ServedRepositories> {
    this.#served ??= this.#open()
    return this.#served
  }

  async #open(): Promise<ServedRepositories> {
    const { ServedRepositories } = await import("../../app/repositories/serve.ts")
    return new ServedRepositories(this.#flags)
  }
}
