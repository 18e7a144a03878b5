import type { ServedRepositories } from "../app/repos/serve.ts"
import { log } from "../base/log.ts"
import type { ConfigFlags } from "../config/resolve.ts"
import type { Calls } from "./calls.ts"

/** Other repositories behind this process. */
export class Repositories implements AsyncDisposable {
  readonly #flags: ConfigFlags
  readonly #calls: Calls
  #served: Promise<ServedRepositories> | null = null
  #hasStarted = false

  /** `flags`: settings that were given when the server was started. */
  constructor(flags: ConfigFlags, calls: Calls) {
    this.#flags = flags
    this.#calls = calls
  }

  /** Once a client is connected: what is due is fetched from then on. */
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
    const { ServedRepositories } = await import("../app/repos/serve.ts")
    return new ServedRepositories(this.#flags)
  }
}
