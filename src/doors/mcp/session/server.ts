/*
 * State of the server process. `Server` holds the workspace and the other repositories; `Workspace` has one `Folder` for
 * each served project, which opens its project and its memory; `RunningCalls` tracks calls, so that the process ends
 * after the last answer and memory is released in pauses.
 */

import { existsSync } from "node:fs"
import { join } from "node:path"
import {
  loadServedProject,
  loadServedRepositories,
  loadServedRoots,
  type Root,
  type ServedProject,
  type ServedRepositories,
  type ServedRoots,
  type ServeOptions,
  type UseMemory,
} from "../../../ask/index.ts"
import { type IndexProgress, InFlight, log, userDataDir } from "../../../base/index.ts"
import { findRoot, type ProjectOptions } from "../../../index/index.ts"
import { loadMemory, loadTeamCopy, type Memory, MemoryHandle } from "../../../memory/index.ts"
import { MemoryRelease, releaseAll, releaseKept, releaseUnused } from "./release-memory.ts"
import type { WorkspaceFolders } from "./workspace-folders.ts"

/** Path of the HTTP address that serves all roots. */
export const MCP_PATH = "/mcp"

/** Path of the HTTP address that serves only the root of this name. */
export function pathOfRoot(name: string): string {
  return `${MCP_PATH}/${encodeURIComponent(name)}`
}

type ServerOptions = {
  /** True if the client decides which folder is served; the folder is then unknown until `workIn` is called. */
  readonly followsClient: boolean
}

/**
 * State of the server process: the project and the memory it serves, other repositories, and the calls in
 * progress. Each part is opened on first use.
 */
export class Server implements AsyncDisposable {
  /** Options with which the server was started. */
  readonly options: ProjectOptions
  readonly followsClient: boolean
  readonly #otherRoots: readonly string[]
  readonly #release = new MemoryRelease()
  readonly calls = new RunningCalls({
    onAnswered: () => this.#release.afterAnswer(),
    onPause: releaseUnused,
    onIdle: releaseKept,
    onRest: releaseAll,
  })
  /** Listeners for indexing progress. */
  readonly progressListeners = new Set<(progress: IndexProgress) => void>()
  #workspace: Workspace | null
  /** The workspace whose problems an answer has named. */
  #saidWorkspace: Workspace | null = null
  /** Resolves when previous workspaces are closed, which waits until their calls are answered. */
  #closing: Promise<unknown> = Promise.resolve()
  #repositories: Promise<ServedRepositories> | null = null
  #hasStartedSync = false
  /** Number of the memory's last event when shared entries were last sent to the team's server; -1: never sent. */
  #sentSeq = -1

  constructor({ otherRoots = [], ...options }: ServeOptions, { followsClient }: ServerOptions) {
    this.options = options
    this.#otherRoots = otherRoots
    this.followsClient = followsClient && options.root === undefined
    const { cwd } = options
    this.#workspace = this.followsClient ? null : this.#workspaceOf({ cwd, others: otherRoots, problems: [] })
  }

  /** Serves these folders from now on. Returns true if this replaces others. */
  workIn(folders: WorkspaceFolders): boolean {
    const previous = this.#workspace
    if (previous !== null && JSON.stringify(previous.folders) === JSON.stringify(folders)) return false
    for (const problem of folders.problems) log.warn(problem)
    this.#workspace = this.#workspaceOf(folders)
    if (previous === null) return false
    const closing = this.#closing
    this.#closing = this.calls.settle().then(async () => {
      await closing
      await previous[Symbol.asyncDispose]()
    })
    return true
  }

  /**
   * The project and the memory, each null if it is not open, and all open projects of the workspace with that project
   * first. Opens nothing.
   */
  get opened(): {
    readonly project: ServedProject | null
    readonly projects: readonly ServedProject[]
    readonly memory: Memory | null
  } {
    const [own, ...others] = this.#workspace?.all ?? []
    const project = own?.opened ?? null
    const memory =
      this.#workspace?.all.find(({ openedMemory }) => openedMemory !== null)?.openedMemory ?? null
    const further = others.flatMap(({ opened }) => opened ?? [])
    return { project, projects: project === null ? [] : [project, ...further], memory }
  }

  project(): Promise<ServedProject> {
    return this.#requireWorkspace().own.project()
  }

  /** All projects of the workspace; null if there is only one. */
  roots(): Promise<ServedRoots | null> {
    return this.#requireWorkspace().roots()
  }

  /**
   * The root that the path of an address names: undefined if it names none, because it is that of all roots; null if there
   * is no such root.
   */
  async rootAt(path: string): Promise<Root | null | undefined> {
    if (path === MCP_PATH) return undefined
    return (await this.roots())?.all.find(({ name }) => pathOfRoot(name) === path) ?? null
  }

  /** Folders of the client that are not served, each with the reason. */
  get unservedFolders(): readonly string[] {
    return this.#workspace?.folders.problems ?? []
  }

  /** The same, but only once for each workspace. */
  takeUnservedFolders(): readonly string[] {
    const isSaid = this.#workspace === this.#saidWorkspace
    this.#saidWorkspace = this.#workspace
    return isSaid ? [] : this.unservedFolders
  }

  /** Calls `act` with the memory of the first project, which stays open until it returns. */
  withMemory<T>(act: (memory: Memory) => Promise<T>): Promise<T> {
    return this.#requireWorkspace().own.withMemory(act)
  }

  /** Sends changes of entries that the user shares with a team, in the background. */
  #sendSoon({ knowledge }: Memory): void {
    if (!existsSync(join(userDataDir(), "team-memory"))) return
    const send = async () => {
      const seq = knowledge.lastSeq()
      if (seq === this.#sentSeq) return
      this.#sentSeq = seq
      const { hasTeamMemory, syncTeamMemory } = await loadTeamCopy()
      if (hasTeamMemory()) await syncTeamMemory()
    }
    // Changes that could not be sent are sent with the next change, or by the next recall of the team's memory.
    send().catch((error: unknown) => log.info("not sent to the team yet", { message: String(error) }))
  }

  async withRepositories<T>(act: (served: ServedRepositories) => T | Promise<T>): Promise<T> {
    return await act(await this.#openRepositories())
  }

  /** Starts fetching due repositories; called whenever a client is connected. */
  startSync(): void {
    if (this.#hasStartedSync) return
    this.#hasStartedSync = true
    this.#openRepositories()
      .then((served) => served.start())
      .catch((error: unknown) => log.error("cannot serve other repositories", { message: String(error) }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closing
    await this.#workspace?.[Symbol.asyncDispose]()
    const repositories = await this.#repositories?.catch(() => null)
    await repositories?.[Symbol.asyncDispose]()
  }

  #workspaceOf(folders: WorkspaceFolders): Workspace {
    const onProgress = (progress: IndexProgress) => {
      // Progress of a replaced workspace, which may still be indexing, is not reported.
      if (this.#workspace !== workspace) return
      for (const listener of this.progressListeners) listener(progress)
    }
    const onMemoryUsed = (memory: Memory) => {
      memory.embedSoon()
      this.#sendSoon(memory)
    }
    const areExact = this.#otherRoots.length > 0
    const workspace = new Workspace({ ...this.options, onProgress }, folders, { areExact, onMemoryUsed })
    return workspace
  }

  #requireWorkspace(): Workspace {
    if (this.#workspace === null) throw new Error("the client's folder is not known yet")
    return this.#workspace
  }

  #openRepositories(): Promise<ServedRepositories> {
    const { root: _, cwd: __, onProgress: ___, ...flags } = this.options
    this.#repositories ??= loadServedRepositories().then(
      ({ ServedRepositories }) => new ServedRepositories(flags),
    )
    return this.#repositories
  }
}

/** The project and the memory of the working folder, and those of the other folders. */
class Workspace implements AsyncDisposable {
  readonly folders: WorkspaceFolders
  readonly own: Folder
  readonly all: readonly Folder[]
  readonly #options: ProjectOptions
  #roots: Promise<ServedRoots | null> | null = null

  /** `areExact`: the other folders are roots that the user gave, in which no root is looked for. */
  constructor(
    options: ProjectOptions,
    folders: WorkspaceFolders,
    {
      areExact,
      onMemoryUsed,
    }: { readonly areExact: boolean; readonly onMemoryUsed: (memory: Memory) => void },
  ) {
    this.folders = folders
    this.#options = options
    this.own = new Folder({ ...options, cwd: folders.cwd }, onMemoryUsed)
    const others = folders.others.map(
      (cwd) => new Folder({ ...options, cwd, root: areExact ? cwd : undefined }, onMemoryUsed),
    )
    this.all = [this.own, ...others]
  }

  roots(): Promise<ServedRoots | null> {
    this.#roots ??= this.folders.others.length === 0 ? Promise.resolve(null) : this.#openRoots()
    return this.#roots
  }

  async #openRoots(): Promise<ServedRoots> {
    const { ServedRoots } = await loadServedRoots()
    const { root: _, cwd: __, onProgress: ___, ...flags } = this.#options
    const roots = this.all.map(async (folder) => ({
      folder: findRoot(folder.options).root,
      project: await folder.project(),
      withMemory: folder.withMemory,
    }))
    return new ServedRoots(await Promise.all(roots), flags)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#roots?.catch(() => null)
    for (const folder of this.all) await folder[Symbol.asyncDispose]()
  }
}

/** A served folder; its project and its memory are opened on first use. */
class Folder implements AsyncDisposable {
  readonly options: ProjectOptions
  readonly #memory: MemoryHandle
  readonly #onMemoryUsed: (memory: Memory) => void
  #project: Promise<ServedProject> | null = null
  /** The project if it is open, else null. */
  opened: ServedProject | null = null

  constructor(options: ProjectOptions, onMemoryUsed: (memory: Memory) => void) {
    this.options = options
    this.#onMemoryUsed = onMemoryUsed
    this.#memory = new MemoryHandle(async (how) => {
      const { openMemory } = await loadMemory()
      return openMemory(options, { ...how, isForAgent: true })
    })
  }

  get openedMemory(): Memory | null {
    return this.#memory.opened
  }

  project(): Promise<ServedProject> {
    this.#project ??= loadServedProject().then(({ ServedProject }) => {
      this.opened = new ServedProject(this.options)
      return this.opened
    })
    return this.#project
  }

  readonly withMemory: UseMemory = async (act) =>
    await this.#memory.use(async (memory) => {
      try {
        await memory.identifyAgain()
        return await act(memory)
      } finally {
        this.#onMemoryUsed(memory)
      }
    })

  async [Symbol.asyncDispose](): Promise<void> {
    this.opened = null
    await this.#memory[Symbol.asyncDispose]()
    const project = await this.#project?.catch(() => null)
    await project?.close()
  }
}

// Max time in ms that running calls get when the server ends. Clients kill a server some seconds after closing its
// input.
const SETTLE_MS = 1500
/**
 * Pause in ms after which the agent has probably finished a piece of work: during the work, the next call usually comes
 * sooner.
 */
const PAUSE_MS = 1_000
/** After this time without a call in ms the agent does something else, such as writing code. */
const IDLE_MS = 8_000
/**
 * After this time without a call, indexes of other repositories are closed, too
 * (ask/repositories/served-repositories.ts).
 */
const REST_MS = 60_000

type IdleCallbacks = {
  /** Called as soon as all calls are answered. */
  readonly onAnswered: () => void
  /** Called after a second without calls. */
  readonly onPause: () => void
  /** Called after eight seconds without calls. */
  readonly onIdle: () => void
  /** Called after a minute without calls. */
  readonly onRest: () => void
}

/** Running calls of this process: they are answered before it ends, and memory is released after them. */
export class RunningCalls {
  readonly #open = new InFlight()
  readonly #idle: IdleCallbacks
  #timers: ReturnType<typeof setTimeout>[] = []

  constructor(idle: IdleCallbacks) {
    this.#idle = idle
  }

  async track<T>(call: Promise<T>): Promise<T> {
    this.#stopTimers()
    try {
      return await this.#open.track(call)
    } finally {
      this.#startTimers()
    }
  }

  /** Waits until every call that has arrived is answered, at most SETTLE_MS. */
  async settle(): Promise<void> {
    await Bun.sleep(0)
    await Promise.race([this.#open.settled(), Bun.sleep(SETTLE_MS)])
    // Waits one tick of the event loop, in which the answers are written.
    await Bun.sleep(0)
  }

  #startTimers(): void {
    if (this.#open.count > 0) return
    this.#stopTimers()
    const { onAnswered, onPause, onIdle, onRest } = this.#idle
    this.#timers = [
      setTimeout(onAnswered, 0),
      setTimeout(onPause, PAUSE_MS),
      setTimeout(onIdle, IDLE_MS),
      setTimeout(onRest, REST_MS),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
