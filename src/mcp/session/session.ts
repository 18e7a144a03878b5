import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { IndexProgress } from "../../app/answers.ts"
import type { ProjectOptions } from "../../app/project/open-project.ts"
import { isTopMarker } from "../../app/project/project-markers.ts"
import { findRoot } from "../../app/project/root.ts"
import type { ServedProject } from "../../app/project/serve-project.ts"
import { AmanError } from "../../base/errors.ts"
import { log } from "../../base/log.ts"
import { isInside } from "../../base/paths.ts"
import { findWorkTree } from "../../git/work-tree.ts"
import { type Call, callProgress } from "./call-progress.ts"
import type { Home } from "./home.ts"
import { Workplace } from "./workplace.ts"

type Listener = (progress: IndexProgress) => void

/** State of one client. Its project is opened when the client is connected or at its first call. */
export class Session implements AsyncDisposable {
  readonly home: Home
  readonly #server: Server
  #place: Promise<Workplace> | null = null
  /** Closing of the previous workplace, which waits until its calls are answered. */
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

  /** Runs one call against the project; reports indexing progress to a caller that asked for it. */
  async call<T>(use: (project: ServedProject) => Promise<T>, asked?: Call): Promise<T> {
    return await this.track(this.#call(use, asked && callProgress(asked)))
  }

  track<T>(call: Promise<T>): Promise<T> {
    return this.home.calls.track(call)
  }

  /** Workplace of the client, as given at the server's start or by the client. */
  place(): Promise<Workplace> {
    this.#place ??= this.home.shared ? Promise.resolve(this.home.shared) : this.#askWhere()
    return this.#place.then((place) => {
      this.#known = place
      return place
    })
  }

  /** Project and memory, as far as they are open by now. */
  get opened(): Workplace["opened"] {
    return this.#known?.opened ?? { project: null, memory: null }
  }

  /** Adds a resource to dispose of with the connection. */
  keep(resource: Disposable): void {
    this.#kept.push(resource)
  }

  /** Adds a listener for changes of the workplace. */
  onMove(listener: () => void): void {
    this.#moved.add(listener)
  }

  /** Moves to another workplace after the client's folders have changed. */
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

const ANSWER_MS = 2000

/**
 * Options with the client's working folder. Without a given root, the client's folders decide: the folder
 * where the server was started, if it is in one of them, as with most clients; else the first of them.
 */
async function askForRoot(options: ProjectOptions, server: Server): Promise<ProjectOptions> {
  if (options.root !== undefined || !server.getClientCapabilities()?.roots) return options
  try {
    const { roots } = await server.listRoots(undefined, { timeout: ANSWER_MS })
    const folders = roots.filter(({ uri }) => uri.startsWith("file:")).map(({ uri }) => fileURLToPath(uri))
    const [first] = folders
    const own = projectAround(options.cwd)
    const isStartedThere = folders.some(
      (folder) => isInside(folder, options.cwd) || (own !== null && isInside(own, folder)),
    )
    return first === undefined || isStartedThere ? options : { ...options, cwd: first }
  } catch (error) {
    log.warn("the client did not name its roots", { message: String(error) })
    return options
  }
}

/** Root of the project that a folder is in; null if it is in none. */
function projectAround(cwd: string): string | null {
  try {
    const { root } = findRoot({ cwd })
    return findWorkTree(root) !== null || readdirSync(root).some(isTopMarker) ? root : null
  } catch (error) {
    if (error instanceof AmanError) return null
    throw error
  }
}
