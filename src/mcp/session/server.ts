/*
 * State of the server process. `Server` holds the workspace (project and memory of the served folder) and the other
 * repositories; `Workspace` opens and closes them; `RunningCalls` tracks calls, so that the process ends after the
 * last answer and memory is released in pauses.
 */

import { existsSync } from "node:fs"
import { join } from "node:path"
import type { IndexProgress } from "../../app/answers.ts"
import type { Memory } from "../../app/memory/memory.ts"
import { MemoryHandle } from "../../app/memory/store/memory-handle.ts"
import type { ProjectOptions } from "../../app/project/open-project.ts"
import { findRoot } from "../../app/project/root.ts"
import type { ServedProject } from "../../app/project/served-project.ts"
import type { WorkspaceFolders } from "../../app/project/workspace-folders.ts"
import type { ServedRepositories } from "../../app/repositories/served-repositories.ts"
import type { ServedRoots } from "../../app/repositories/served-roots.ts"
import { log } from "../../base/log.ts"
import { userDataDir } from "../../base/paths.ts"
import { InFlight } from "../../base/process/in-flight.ts"
import { MemoryRelease, releaseAll, releaseUnused } from "./release-memory.ts"

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
  readonly #release = new MemoryRelease()
  readonly calls = new RunningCalls({
    onAnswered: () => this.#release.afterAnswer(),
    onPause: releaseUnused,
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

  constructor(options: ProjectOptions, { followsClient }: ServerOptions) {
    this.options = options
    this.followsClient = followsClient
    this.#workspace = followsClient ? null : this.#workspaceOf(options)
  }

  /** Serves these folders from now on. Returns true if this replaces others. */
  workIn(folders: WorkspaceFolders): boolean {
    const previous = this.#workspace
    if (previous !== null && JSON.stringify(previous.folders) === JSON.stringify(folders)) return false
    for (const problem of folders.problems) log.warn(problem)
    this.#workspace = this.#workspaceOf(this.options, folders)
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
    const { opened: project = null, openedOthers = [], memory } = this.#workspace ?? {}
    const projects = project === null ? [] : [project, ...openedOthers]
    return { project, projects, memory: memory?.opened ?? null }
  }

  project(): Promise<ServedProject> {
    return this.#requireWorkspace().project()
  }

  /** All projects of the workspace; null if there is only one. */
  roots(): Promise<ServedRoots | null> {
    return this.#requireWorkspace().roots()
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

  /** Calls `act` with the memory, which stays open until it returns. */
  async withMemory<T>(act: (memory: Memory) => Promise<T>): Promise<T> {
    return await this.#requireWorkspace().memory.use(async (memory) => {
      try {
        await memory.identifyAgain()
        return await act(memory)
      } finally {
        memory.embedSoon()
        this.#sendSoon(memory)
      }
    })
  }

  /** Sends changes of entries that the user shares with a team, in the background. */
  #sendSoon({ knowledge }: Memory): void {
    if (!existsSync(join(userDataDir(), "team-memory"))) return
    const send = async () => {
      const seq = knowledge.lastSeq()
      if (seq === this.#sentSeq) return
      this.#sentSeq = seq
      const { hasTeamMemory, syncTeamMemory } = await import("../../app/team/client/memory-copy.ts")
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

  #workspaceOf(options: ProjectOptions, folders = onlyFolder(options.cwd)): Workspace {
    const workspace = new Workspace(options, folders, (progress) => {
      // Progress of a replaced workspace, which may still be indexing, is not reported.
      if (this.#workspace !== workspace) return
      for (const listener of this.progressListeners) listener(progress)
    })
    return workspace
  }

  #requireWorkspace(): Workspace {
    if (this.#workspace === null) throw new Error("the client's folder is not known yet")
    return this.#workspace
  }

  #openRepositories(): Promise<ServedRepositories> {
    const { root: _, cwd: __, onProgress: ___, ...flags } = this.options
    this.#repositories ??= import("../../app/repositories/served-repositories.ts").then(
      ({ ServedRepositories }) => new ServedRepositories(flags),
    )
    return this.#repositories
  }
}

function onlyFolder(cwd: string): WorkspaceFolders {
  return { cwd, others: [], problems: [] }
}

/** The project and the memory of the working folder, and the other projects of the client. */
class Workspace implements AsyncDisposable {
  readonly options: ProjectOptions
  readonly folders: WorkspaceFolders
  readonly memory: MemoryHandle
  readonly #onProgress: (progress: IndexProgress) => void
  #project: Promise<ServedProject> | null = null
  #roots: Promise<ServedRoots | null> | null = null
  /** The project if it is open, else null. */
  opened: ServedProject | null = null
  openedOthers: readonly ServedProject[] = []

  constructor(
    options: ProjectOptions,
    folders: WorkspaceFolders,
    onProgress: (progress: IndexProgress) => void,
  ) {
    this.options = { ...options, cwd: folders.cwd }
    this.folders = folders
    this.#onProgress = onProgress
    this.memory = new MemoryHandle(async (how) => {
      const { openMemory } = await import("../../app/memory/memory.ts")
      return openMemory(this.options, { ...how, isForAgent: true })
    })
  }

  project(): Promise<ServedProject> {
    this.#project ??= this.#open()
    return this.#project
  }

  roots(): Promise<ServedRoots | null> {
    this.#roots ??= this.folders.others.length === 0 ? Promise.resolve(null) : this.#openRoots()
    return this.#roots
  }

  async #openRoots(): Promise<ServedRoots> {
    const { ServedProject } = await import("../../app/project/served-project.ts")
    const { ServedRoots } = await import("../../app/repositories/served-roots.ts")
    const primary = await this.project()
    const others = this.folders.others.map((folder) => ({
      folder,
      project: new ServedProject({ ...this.options, cwd: folder, onProgress: this.#onProgress }),
    }))
    this.openedOthers = others.map(({ project }) => project)
    const { root: _, cwd: __, onProgress: ___, ...flags } = this.options
    const roots = [{ folder: findRoot(this.options).root, project: primary }, ...others]
    return new ServedRoots(roots, flags)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.opened = null
    await this.#roots?.catch(() => null)
    for (const project of this.openedOthers) await project.close()
    await this.memory[Symbol.asyncDispose]()
    const project = await this.#project?.catch(() => null)
    await project?.close()
  }

  async #open(): Promise<ServedProject> {
    const { ServedProject } = await import("../../app/project/served-project.ts")
    this.opened = new ServedProject({ ...this.options, onProgress: this.#onProgress })
    return this.opened
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
/**
 * After this time without a call, indexes of other repositories are closed, too
 * (app/repositories/served-repositories.ts).
 */
const REST_MS = 60_000

type IdleCallbacks = {
  /** Called as soon as all calls are answered. */
  readonly onAnswered: () => void
  /** Called after a second without calls. */
  readonly onPause: () => void
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
    const { onAnswered, onPause, onRest } = this.#idle
    this.#timers = [setTimeout(onAnswered, 0), setTimeout(onPause, PAUSE_MS), setTimeout(onRest, REST_MS)]
    for (const timer of this.#timers) timer.unref()
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
