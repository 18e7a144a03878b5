import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { IndexProgress } from "../app/answers.ts"
import type { ProjectOptions } from "../app/open-project.ts"
import type { ServedProject } from "../app/serve-project.ts"
import { log } from "../base/log.ts"
import type { ConfigFlags } from "../config/resolve.ts"
import { type Call, callProgress } from "./call-progress.ts"
import { askForRoot } from "./client-roots.ts"

// Clients kill a server some seconds after they close its stdin; answers under way get less than that.
const SETTLE_MS = 1500

/** The project of one connection, opened when the client is connected or at its first call. */
export class Session implements AsyncDisposable {
  readonly #options: ProjectOptions
  readonly #server: Server
  readonly #calls = new Set<Promise<unknown>>()
  readonly #listeners = new Set<(progress: IndexProgress) => void>()
  #project: Promise<ServedProject> | null = null
  #chosen: Promise<ProjectOptions> | null = null

  constructor(options: ProjectOptions, server: Server) {
    this.#options = options
    this.#server = server
  }

  start(): void {
    this.#open().catch((error: unknown) => log.error("cannot serve the project", { message: String(error) }))
  }

  /** One call against the project; a caller who asked for it hears how far indexing is while it waits. */
  async call<T>(use: (project: ServedProject) => Promise<T>, asked?: Call): Promise<T> {
    const listener = asked && callProgress(asked)
    if (listener) this.#listeners.add(listener)
    try {
      return await this.track(this.#open().then(use))
    } finally {
      if (listener) this.#listeners.delete(listener)
    }
  }

  /** A call under way: it is answered before the connection ends. */
  async track<T>(call: Promise<T>): Promise<T> {
    this.#calls.add(call)
    try {
      return await call
    } finally {
      this.#calls.delete(call)
    }
  }

  /** Waits, for a moment, until every call that has arrived is answered. */
  async settle(): Promise<void> {
    await Bun.sleep(0)
    await Promise.race([Promise.allSettled(this.#calls), Bun.sleep(SETTLE_MS)])
    // The answers themselves are written in the ticks after that.
    await Bun.sleep(0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const project = await this.#project?.catch(() => null)
    await project?.close()
  }

  /** Settings that were given when the server was started. */
  get configFlags(): ConfigFlags {
    const { root: _, cwd: __, onProgress: ___, ...flags } = this.#options
    return flags
  }

  /** Where the client works, as it was started or as it says itself. */
  options(): Promise<ProjectOptions> {
    this.#chosen ??= askForRoot(this.#options, this.#server)
    return this.#chosen
  }

  #open(): Promise<ServedProject> {
    this.#project ??= this.#serve()
    return this.#project
  }

  async #serve(): Promise<ServedProject> {
    const { serveProject } = await import("../app/serve-project.ts")
    const options = await this.options()
    const onProgress = (progress: IndexProgress) => {
      for (const listener of this.#listeners) listener(progress)
    }
    return serveProject({ ...options, onProgress })
  }
}
