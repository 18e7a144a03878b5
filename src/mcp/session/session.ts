import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Server as SdkServer } from "@modelcontextprotocol/sdk/server/index.js"
import type { Memory } from "../../app/memory/memory.ts"
import type { ProjectOptions } from "../../app/project/open-project.ts"
import { isTopMarker } from "../../app/project/project-markers.ts"
import { findRoot } from "../../app/project/root.ts"
import type { ServedProject } from "../../app/project/served-project.ts"
import type { ServedRepositories } from "../../app/repositories/served-repositories.ts"
import { AmanError } from "../../base/errors.ts"
import { log } from "../../base/log.ts"
import { isInside } from "../../base/paths.ts"
import { findWorkTree } from "../../git/work-tree.ts"
import { callProgress, type ToolCallExtra } from "./call-progress.ts"
import type { Server } from "./server.ts"

/** State of one client, and its access to the project, the memory and other repositories. */
export class Session implements AsyncDisposable {
  readonly #server: Server
  readonly #client: SdkServer
  /** Promise that is settled once the server knows which folder it serves. */
  #located: Promise<unknown> | null = null
  readonly #moveListeners = new Set<() => void>()
  readonly #resources: Disposable[] = []

  constructor(server: Server, client: SdkServer) {
    this.#server = server
    this.#client = client
  }

  /** Opens the project, so that indexing starts before the first call. */
  start(): void {
    this.#project().catch((error: unknown) =>
      log.error("cannot serve the project", { message: String(error) }),
    )
  }

  /** Runs `act` with the project; reports indexing progress to a caller that asked for it. */
  withProject<T>(act: (project: ServedProject) => Promise<T>, call?: ToolCallExtra): Promise<T> {
    return this.#server.calls.track(this.#withProject(act, call))
  }

  /** Runs `act` with the memory, which stays open until it returns. */
  withMemory<T>(act: (memory: Memory) => Promise<T>): Promise<T> {
    return this.#server.calls.track(this.#locate().then(() => this.#server.withMemory(act)))
  }

  /** Runs `act` with the other repositories. */
  withRepositories<T>(act: (served: ServedRepositories) => T | Promise<T>): Promise<T> {
    return this.#server.calls.track(this.#server.withRepositories(act))
  }

  /** The project and the memory, each null if it is not open yet. */
  get opened(): Server["opened"] {
    return this.#server.opened
  }

  /** Adds a resource to dispose of with the connection. */
  keep(resource: Disposable): void {
    this.#resources.push(resource)
  }

  /** Adds a listener that is called when another project is served. */
  onMove(listener: () => void): void {
    this.#moveListeners.add(listener)
  }

  /** Serves another project if the client's folders have changed. */
  async follow(): Promise<void> {
    if (!this.#server.followsClient || this.#located === null) return
    await this.#located
    if (!(await this.#askWhere())) return
    log.info("the client changed its folder")
    for (const listener of this.#moveListeners) listener()
    this.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const resource of this.#resources) resource[Symbol.dispose]()
    await this.#located?.catch(() => null)
  }

  async #withProject<T>(
    act: (project: ServedProject) => Promise<T>,
    call: ToolCallExtra | undefined,
  ): Promise<T> {
    await this.#locate()
    const listener = call && callProgress(call)
    const { progressListeners } = this.#server
    if (listener) progressListeners.add(listener)
    try {
      return await act(await this.#server.project())
    } finally {
      if (listener) progressListeners.delete(listener)
    }
  }

  async #project(): Promise<ServedProject> {
    await this.#locate()
    return this.#server.project()
  }

  #locate(): Promise<unknown> {
    this.#located ??= this.#server.followsClient ? this.#askWhere() : Promise.resolve()
    return this.#located
  }

  /** Asks the client for its folder and serves it. Returns true if this replaces another folder. */
  async #askWhere(): Promise<boolean> {
    return this.#server.workIn(await askForRoot(this.#server.options, this.#client))
  }
}

const ROOTS_TIMEOUT_MS = 2000

/**
 * Options with the client's working folder. Without a given root, the client's folders decide: the folder
 * where the server was started, if it is in one of them, as with most clients; else the first of them.
 */
async function askForRoot(options: ProjectOptions, client: SdkServer): Promise<ProjectOptions> {
  if (options.root !== undefined || !client.getClientCapabilities()?.roots) return options
  try {
    const { roots } = await client.listRoots(undefined, { timeout: ROOTS_TIMEOUT_MS })
    const folders = roots.filter(({ uri }) => uri.startsWith("file:")).map(({ uri }) => fileURLToPath(uri))
    const [first] = folders
    const projectRoot = projectAround(options.cwd)
    const isStartedThere = folders.some(
      (folder) => isInside(folder, options.cwd) || (projectRoot !== null && isInside(projectRoot, folder)),
    )
    return first === undefined || isStartedThere ? options : { ...options, cwd: first }
  } catch (error) {
    log.warn("the client did not list its roots", { message: String(error) })
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
