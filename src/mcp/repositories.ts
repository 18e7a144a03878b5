import type { ServedRepositories } from "../app/repos/serve.ts"
import { log } from "../base/log.ts"
import type { Session } from "./session.ts"

/** Other repositories of one connection. */
export class Repositories implements AsyncDisposable {
  readonly #session: Session
  #served: Promise<ServedRepositories> | null = null

  constructor(session: Session) {
    this.#session = session
  }

  /** Once the client is connected: what is due is fetched from then on. */
  start(): void {
    this.#opened()
      .then((served) => served.start())
      .catch((error: unknown) => log.error("cannot serve other repositories", { message: String(error) }))
  }

  use<T>(act: (served: ServedRepositories) => T | Promise<T>): Promise<T> {
    return this.#session.track(this.#opened().then(act))
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
    return new ServedRepositories(this.#session.configFlags)
  }
}
