import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { IndexProgress } from "../app/answers.ts"
import type { ServedProject } from "../app/serve-project.ts"
import { log } from "../base/log.ts"
import { type Call, callProgress } from "./call-progress.ts"
import { askForRoot } from "./client-roots.ts"
import type { Home } from "./home.ts"
import { Workplace } from "./workplace.ts"

type Listener = (progress: IndexProgress) => void

/** One connection: where its calls go. Its project is opened when the client is connected or at its first call. */
export class Session implements AsyncDisposable {
  readonly home: Home
  readonly #server: Server
  #place: Promise<Workplace> | null = null
  /** A place that is left waits here until its calls are answered. */
  #leaving: Promise<unknown> = Promise.resolve()
  #known: Workplace | null = null
  readonly #moved = new Set<() => void>()
  readonly #kept: Disposable[] = []

  constructor(home: Home, server: Server) {
    this.home = home
    this.#server = server
  }

  start(): void {
    this.#project().catch((error: unknown) =>
      log.error("cannot serve the project", { message: String(error) }),
    )
  }

  /** One call against the project; a caller who asked for it hears how far indexing is while it waits. */
  async call<T>(use: (project: ServedProject) => Promise<T>, asked?: Call): Promise<T> {
    return await this.track(this.#call(use, asked && callProgress(asked)))
  }

  track<T>(call: Promise<T>): Promise<T> {
    return this.home.calls.track(call)
  }

  /** Where the client works, as the server was started or as the client says. */
  place(): Promise<Workplace> {
    this.#place ??= this.home.shared ? Promise.resolve(this.home.shared) : this.#askWhere()
    return this.#place.then((place) => {
      this.#known = place
      return place
    })
  }

  /** Where it works, if that is known and opened by now. */
  get opened(): Workplace["opened"] {
    return this.#known?.opened ?? { project: null, memory: null }
  }

  /** What ends with the connection. */
  keep(resource: Disposable): void {
    this.#kept.push(resource)
  }

  /** Calls whenever the client works in another place than before. */
  onMove(listener: () => void): void {
    this.#moved.add(listener)
  }

  /** The client's folders are others now. */
  async follow(): Promise<void> {
    if (this.home.shared !== null || this.#place === null) return
    const old = await this.#place
    const next = await this.#askWhere()
    if (next.options.cwd === old.options.cwd) return
    log.info("the client works in another folder")
    this.#place = Promise.resolve(next)
    const before = this.#leaving
    this.#leaving = this.home.calls.settle().then(async () => {
      await before
      await old[Symbol.asyncDispose]()
    })
    for (const listener of this.#moved) listener()
    this.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const resource of this.#kept) resource[Symbol.dispose]()
    await this.#leaving
    if (this.home.shared !== null) return
    const place = await this.#place?.catch(() => null)
    await place?.[Symbol.asyncDispose]()
  }

  async #call<T>(use: (project: ServedProject) => Promise<T>, listener: Listener | undefined): Promise<T> {
    const place = await this.place()
    if (listener) place.listeners.add(listener)
    try {
      return await use(await place.project())
    } finally {
      if (listener) place.listeners.delete(listener)
    }
  }

  async #project(): Promise<ServedProject> {
    return (await this.place()).project()
  }

  async #askWhere(): Promise<Workplace> {
    return new Workplace(await askForRoot(this.home.options, this.#server))
  }
}
