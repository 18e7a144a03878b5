import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type InputRequiredResult,
  inputRequired,
  type LoggingLevel,
  McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { z } from "zod"
import type { Root, ServedProject, ServedRepositories, ServedRoots, UseMemory } from "../../../ask/index.ts"
import { AmanError, type LogEvent, log, version } from "../../../base/index.ts"
import type { Memory } from "../../../memory/index.ts"
import instructions from "../instructions.md" with { type: "text" }
import { Subscriptions } from "../resources/serve.ts"
import { callProgress, type ToolCallExtra } from "./call-progress.ts"
import type { Server } from "./server.ts"
import { workspaceFolders } from "./workspace-folders.ts"

export type SessionOptions = {
  /** Legacy: protocol versions with `initialize`. Modern: 2026-07-28 and later. */
  readonly era: "legacy" | "modern"
  /** True if the session ends with the request, as over HTTP in modern versions. */
  readonly isOfOneRequest?: boolean
  /** Resources that the client listens to; absent: those of this session only. */
  readonly subscriptions?: Subscriptions
  /** The only root that this client is served, as its address says; absent: all roots. */
  readonly root?: Root | undefined
}

/** One root of the workspace, and what an answer from it has to say about the others. */
export type ChosenRoot = {
  readonly withMemory: UseMemory
  /** The path of a place in this root. */
  readonly pathIn: (place: string) => string
  readonly notices: readonly string[]
}

type OpenRoot = Pick<Root, "project" | "withMemory"> & {
  /** Names the root in an answer about several; empty if there is only one. */
  readonly heading: string
}
type CodeProject = ReturnType<ServedRoots["asProject"]>

/** State of one client, and its access to the project, the memory and other repositories. */
export class Session implements AsyncDisposable {
  readonly #server: Server
  readonly #mcp: McpServer
  readonly #options: SessionOptions
  /** Resources that the client listens to. */
  readonly subscriptions: Subscriptions
  #hasStarted = false
  /** Time in ms at which a modern client last named its folders. */
  #namedRootsAt = Number.NEGATIVE_INFINITY
  /** Promise that is settled once the server knows which folder it serves. */
  #located: Promise<unknown> | null = null
  readonly #moveListeners = new Set<() => void>()
  readonly #resources: Disposable[] = []

  constructor(server: Server, mcp: McpServer, options: SessionOptions) {
    this.#server = server
    this.#mcp = mcp
    this.#options = options
    this.subscriptions = options.subscriptions ?? new Subscriptions()
  }

  get isOfOneRequest(): boolean {
    return this.#options.isOfOneRequest ?? false
  }

  /** Opens the project, so that indexing starts before the first call, and begins to fetch other repositories. */
  start(client: Implementation | undefined): void {
    log.info("connected", { client: client?.name, version: client?.version })
    this.#hasStarted = true
    this.#open()
    this.#server.startSync()
  }

  /**
   * For a modern request, what the client must answer before the call: its folders, if they decide what is served and
   * were not named recently. Null if nothing is missing; answers in a repeated request are taken.
   */
  question(context: ServerContext): InputRequiredResult | null {
    if (this.#options.era === "legacy") return null
    const { inputResponses } = context.mcpReq
    const { client, capabilities } = senderOf(context)
    if (capabilities?.roots !== undefined && this.#server.followsClient) {
      const isRecent = performance.now() - this.#namedRootsAt < ROOTS_MS
      if (!isRecent && inputResponses === undefined)
        return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } })
      if (inputResponses !== undefined) this.#takeRoots(inputResponses["roots"])
    }
    if (!this.#hasStarted) this.start(client)
    return null
  }

  #takeRoots(answer: unknown): void {
    this.#namedRootsAt = performance.now()
    const isKnown = this.#located !== null
    const { data } = ROOTS_ANSWER.safeParse(answer)
    const hasMoved = this.#workIn(data?.roots.map(({ uri }) => uri) ?? [])
    this.#located = Promise.resolve()
    if (isKnown && hasMoved) this.#tellMove()
  }

  #tellMove(): void {
    log.info("the client changed its folder")
    for (const listener of this.#moveListeners) listener()
    this.#open()
  }

  #open(): void {
    this.#project().catch((error: unknown) =>
      log.error("cannot serve the project", { message: String(error) }),
    )
  }

  /** Runs `act` with the project; reports indexing progress to a caller that asked for it. */
  withProject<T>(act: (project: ServedProject) => Promise<T>, call?: ToolCallExtra): Promise<T> {
    return this.#server.calls.track(this.#withProject(act, call))
  }

  /** Runs `act` with all projects of the workspace, that of the working folder first. */
  withProjects<T>(act: (projects: readonly ServedProject[]) => Promise<T>): Promise<T> {
    return this.withProject(async (project) => act((await this.roots())?.projects ?? [project]))
  }

  /** All projects of the workspace; null if there is only one. */
  async roots(): Promise<ServedRoots | null> {
    await this.#locate()
    return this.#options.root === undefined ? await this.#server.roots() : null
  }

  /** The root that a question about one root means, see `ServedRoots.one`. */
  async chooseRoot(repository: string | undefined, places: readonly string[] = []): Promise<ChosenRoot> {
    const roots = await this.roots()
    if (roots === null) {
      if (!repository?.trim())
        return { withMemory: (act) => this.withMemory(act), pathIn: (path) => path, notices: [] }
      throw new AmanError("USAGE", "only one folder is served", { hint: "leave out repository" })
    }
    const { root, ...chosen } = roots.one(repository, places)
    return { ...chosen, withMemory: (act) => this.#server.calls.track(root.withMemory(act)) }
  }

  /** What `act` returns for each served root, that of the working folder first. */
  mapRoots<T>(act: (root: OpenRoot, count: number) => Promise<T>, call?: ToolCallExtra): Promise<T[]> {
    return this.withProject(async (project) => {
      const roots = (await this.roots())?.all
      if (roots === undefined)
        return [await act({ project, heading: "", withMemory: (use) => this.withMemory(use) }, 1)]
      const results: T[] = []
      for (const { name, folder, ...root } of roots)
        results.push(await act({ ...root, heading: `# ${name} (${folder})\n\n` }, roots.length))
      return results
    }, call)
  }

  /** Runs `act` for questions about code: all roots answer them together. */
  withCode<T>(act: (project: CodeProject) => Promise<T>, call?: ToolCallExtra): Promise<T> {
    return this.withProject(async (project) => act((await this.roots())?.asProject() ?? project), call)
  }

  /** Folders of the client that are not served, which the first answer names. */
  takeUnservedFolders(): readonly string[] {
    return this.#server.takeUnservedFolders()
  }

  /** What to say about the client's folders: which are served, and which are not. */
  async folderNotices(): Promise<readonly string[]> {
    const roots = await this.roots()
    return [...(roots === null ? [] : [roots.summary]), ...this.#server.unservedFolders]
  }

  /** Runs `act` with the memory, which stays open until it returns. */
  withMemory<T>(act: (memory: Memory) => Promise<T>): Promise<T> {
    const use = this.#options.root?.withMemory ?? ((each) => this.#server.withMemory(each))
    return this.#server.calls.track(this.#locate().then(() => use(act)))
  }

  /** Runs `act` with the other repositories. */
  withRepositories<T>(act: (served: ServedRepositories) => T | Promise<T>): Promise<T> {
    return this.#server.calls.track(this.#server.withRepositories(act))
  }

  /** The project and the memory, each null if it is not open yet. */
  get opened(): Server["opened"] {
    const { root } = this.#options
    const { opened } = this.#server
    return root === undefined ? opened : { ...opened, project: root.project, projects: [root.project] }
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
    if (await this.#askWhere()) this.#tellMove()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const resource of this.#resources) resource[Symbol.dispose]()
    await this.#located?.catch(() => null)
  }

  async #withProject<T>(
    act: (project: ServedProject) => Promise<T>,
    call: ToolCallExtra | undefined,
  ): Promise<T> {
    const listener = call && callProgress(call)
    const { progressListeners } = this.#server
    if (listener) progressListeners.add(listener)
    try {
      return await act(await this.#project())
    } finally {
      if (listener) progressListeners.delete(listener)
    }
  }

  async #project(): Promise<ServedProject> {
    await this.#locate()
    return this.#options.root?.project ?? this.#server.project()
  }

  #locate(): Promise<unknown> {
    this.#located ??= this.#server.followsClient ? this.#askWhere() : Promise.resolve()
    return this.#located
  }

  /** Asks the client for its folders and serves them. Returns true if this replaces others. */
  async #askWhere(): Promise<boolean> {
    return this.#workIn(await namedFolders(this.#mcp))
  }

  /** Serves the folders that the client names; of one that names none, the folder of the environment or its own. */
  #workIn(named: readonly string[]): boolean {
    const { cwd } = this.#server.options
    const fromEnvironment = process.env[PROJECT_VARIABLE] ?? ""
    const folders = named.length === 0 && fromEnvironment !== "" ? [fromEnvironment] : named
    return this.#server.workIn(workspaceFolders(cwd, folders))
  }
}

type Sender = {
  readonly client: Implementation | undefined
  readonly capabilities: ClientCapabilities | undefined
}

/** What a modern request says about its client, which the SDK has validated; nothing for a legacy one. */
export function senderOf({ mcpReq }: ServerContext): Sender {
  const envelope = (mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>
  return {
    client: envelope[CLIENT_INFO_META_KEY] as Sender["client"],
    capabilities: envelope[CLIENT_CAPABILITIES_META_KEY] as Sender["capabilities"],
  }
}

const ROOTS_TIMEOUT_MS = 2000
/** A modern client is asked for its folders again after this time in ms, because it does not tell changes. */
const ROOTS_MS = 60_000

/** The variable in which agents name the project to the programs they start; hooks read it, too. */
const PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"

/** The folders that a legacy client names. */
async function namedFolders({ server }: McpServer): Promise<readonly string[]> {
  if (!server.getClientCapabilities()?.roots) return []
  try {
    const { roots } = await server.request({ method: "roots/list" }, ROOTS_ANSWER, {
      timeout: ROOTS_TIMEOUT_MS,
    })
    return roots.map(({ uri }) => uri)
  } catch (error) {
    log.warn("the client did not list its roots", { message: String(error) })
    return []
  }
}

/** Looser than the protocol, which allows only URIs: some clients send bare paths. */
const ROOTS_ANSWER = z.looseObject({ roots: z.array(z.looseObject({ uri: z.string() })) })

/** Registers tools, resources and prompts on a server before its client is connected. */
export type RegisterOffer = (mcp: McpServer, session: Session) => void

export type Connection = AsyncDisposable & { readonly mcp: McpServer; readonly session: Session }

// Lists that are the same in every call of a process; those of files change at any time.
const CONSTANT = { ttlMs: 300_000 }
const CACHE_HINTS = {
  "server/discover": { ...CONSTANT, cacheScope: "public" },
  "tools/list": { ...CONSTANT, cacheScope: "public" },
  "prompts/list": { ...CONSTANT, cacheScope: "public" },
  "resources/templates/list": { ...CONSTANT, cacheScope: "private" },
  "resources/list": { ttlMs: 0, cacheScope: "private" },
  "resources/read": { ttlMs: 0, cacheScope: "private" },
} as const

/**
 * The protocol layer for one client, to be connected to a transport; for versions without sessions over HTTP, for one
 * request.
 */
export function createConnection(server: Server, offer: RegisterOffer, options: SessionOptions): Connection {
  const mcp = new McpServer(
    { name: "aman", title: "aman: code search and memory", version },
    { instructions, cacheHints: CACHE_HINTS },
  )
  const session = new Session(server, mcp, options)
  const logging = options.era === "legacy" ? logToClient(mcp) : null
  offer(mcp, session)
  if (options.era === "legacy") {
    // Waits a tick: if both messages arrive together, the SDK handles "initialized" before it has read the
    // client's name from "initialize".
    mcp.server.oninitialized = () =>
      void setImmediate(() => mcp.isConnected() && session.start(mcp.server.getClientVersion()))
    mcp.server.setNotificationHandler("notifications/roots/list_changed", () => session.follow())
  }
  // Only the error's name is logged, because its message may contain what was sent, such as a query.
  mcp.server.onerror = (error) => log.warn("protocol error", { kind: error.name })
  return {
    mcp,
    session,
    [Symbol.asyncDispose]: async () => {
      logging?.[Symbol.dispose]()
      await mcp.close()
      await session[Symbol.asyncDispose]()
    },
  }
}

/** Name and version of the client of a request; undefined if it does not say. */
export function clientOf(mcp: McpServer, context: ServerContext): Implementation | undefined {
  return senderOf(context).client ?? mcp.server.getClientVersion()
}

/** Abilities that the client of a request declares; undefined before it has declared any. */
export function capabilitiesOf(mcp: McpServer, context: ServerContext): ClientCapabilities | undefined {
  return senderOf(context).capabilities ?? mcp.server.getClientCapabilities()
}

const LEVELS: Readonly<Record<LogEvent["level"], LoggingLevel>> = {
  error: "error",
  warn: "warning",
  info: "info",
  debug: "debug",
}
const ORDER: readonly LoggingLevel[] = [
  ...(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const),
]

/**
 * Sends log events to the client, too: those from the level that the client sets, or from "info" if it sets
 * none. Only for versions before 2026-07-28, which deprecates it.
 */
function logToClient({ server }: McpServer): Disposable {
  let minLevel: LoggingLevel = "info"
  server.registerCapabilities({ logging: {} })
  server.setRequestHandler("logging/setLevel", ({ params }) => {
    minLevel = params.level
    return {}
  })
  const sink = ({ level, text }: LogEvent) => {
    const asked = LEVELS[level]
    // Without a connected client the event is dropped, because logging must not fail and must not log its own failure.
    if (!server.transport || ORDER.indexOf(asked) < ORDER.indexOf(minLevel)) return
    const params = { level: asked, logger: "aman", data: text }
    server.notification({ method: "notifications/message", params }).catch(() => {})
  }
  log.sinks.add(sink)
  return { [Symbol.dispose]: () => void log.sinks.delete(sink) }
}
