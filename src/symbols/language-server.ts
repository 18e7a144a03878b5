import { type ChildProcessByStdio, spawn } from "node:child_process"
import { realpathSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { type Readable, Transform, type Writable } from "node:stream"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { MessageConnection } from "vscode-jsonrpc/node"
import { endGroup, isInside, memoryOfGroup, pathOutsideProjects, realPlace, toPosix } from "../base/index.ts"

/** A server that writes more than this is ended. */
const MAX_ANSWER_BYTES = 64 * 1024 ** 2
const WATCH_MS = 250

/** 0-based line and UTF-16 offset in it, as in the protocol. */
export type ServerPosition = { readonly line: number; readonly character: number }

export type ServerQuestion = {
  /** The program's absolute path and its arguments. */
  readonly argv: readonly string[]
  readonly root: string
  /** `initializationOptions` of the protocol. */
  readonly initialization: object
  /** The settings that the server gets when it asks for a section of them, such as "typescript". */
  readonly configuration: Readonly<Record<string, object>>
  /** Files to open, by paths relative to the root: some servers find uses only in open files. */
  readonly files: readonly { readonly path: string; readonly languageId: string; readonly text: string }[]
  /** Positions of the symbols whose references are requested. */
  readonly positions: readonly { readonly path: string; readonly position: ServerPosition }[]
  readonly timeoutMs: number
  /** Max resident memory of the server and its children, in bytes; watched on Linux only. */
  readonly maxMemoryBytes: number
  readonly signal?: AbortSignal | undefined
}

/** A place in a file; the path is relative to the root, the line 1-based. */
export type ServerPlace = { readonly path: string; readonly line: number }

/** `isPartial`: true when the server was still reading the project when the time ran out. */
export type ServerAnswer =
  | { readonly ok: true; readonly places: readonly ServerPlace[]; readonly isPartial: boolean }
  | { readonly ok: false; readonly failure: string }

/**
 * Starts a language server, asks it over standard input and output where symbols are used, and ends it. The server runs
 * in its own process group. The group is killed when the time runs out, when it uses too much memory or writes too
 * much, and when the request is cancelled.
 */
export async function askLanguageServer(question: ServerQuestion): Promise<ServerAnswer> {
  const { argv, root, signal, timeoutMs } = question
  if (signal?.aborted) return { ok: false, failure: "was not asked: interrupted" }
  const [program, ...args] = argv as [string, ...string[]]
  const child = spawn(program, args, {
    cwd: dirname(program),
    env: environmentFor(root),
    stdio: ["pipe", "pipe", "ignore"],
    detached: process.platform !== "win32",
    windowsHide: true,
  })
  const kill = () => endGroup(child)
  process.once("exit", kill)
  const places = new Map<string, ServerPlace>()
  const ended = Promise.withResolvers<string>()
  const end = (failure: string) => ended.resolve(failure)
  const timer = setTimeout(() => end(`did not answer within ${timeoutMs / 1000} s`), timeoutMs)
  const watch = setInterval(() => {
    if (memoryOfGroup(child.pid) > question.maxMemoryBytes)
      end(`took more than ${Math.round(question.maxMemoryBytes / 1024 ** 2)} MiB of memory`)
  }, WATCH_MS)
  const abort = () => end("was interrupted")
  signal?.addEventListener("abort", abort, { once: true })
  child.once("error", () => end("could not be started"))
  child.once("exit", (code, by) =>
    end(`ended before it answered (${code === null ? by : `exit code ${code}`})`),
  )
  try {
    const asking = conversation(question, child, places, end).then(
      () => null,
      (error: unknown) =>
        `answered with an error: ${error instanceof Error ? error.message.slice(0, 200) : "unknown"}`,
    )
    const failure = await Promise.race([asking, ended.promise])
    signal?.throwIfAborted()
    if (failure === null || places.size > 0)
      return { ok: true, places: [...places.values()], isPartial: failure !== null }
    return { ok: false, failure }
  } finally {
    clearTimeout(timer)
    clearInterval(watch)
    signal?.removeEventListener("abort", abort)
    process.removeListener("exit", kill)
    kill()
  }
}

type ServerProcess = ChildProcessByStdio<Writable, Readable, null>

async function conversation(
  { root, initialization, configuration, files, positions }: ServerQuestion,
  child: ServerProcess,
  places: Map<string, ServerPlace>,
  end: (failure: string) => void,
): Promise<void> {
  const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = await import(
    "vscode-jsonrpc/node"
  )
  child.stdin.on("error", () => {})
  const output = child.stdout.pipe(
    limitedStream(() => end(`wrote more than ${MAX_ANSWER_BYTES / 1024 ** 2} MiB`)),
  )
  const connection = createMessageConnection(
    new StreamMessageReader(output),
    new StreamMessageWriter(child.stdin),
  )
  connection.onError(([error]) => end(`broke the protocol: ${error.message.slice(0, 200)}`))
  const progress = new Progress(connection)
  connection.onRequest((method, params) => answerTo(method, params, configuration))
  connection.listen()
  try {
    const uriOf = (path: string) => pathToFileURL(join(root, path)).href
    const rootUri = pathToFileURL(root).href
    await connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri,
      rootPath: root,
      workspaceFolders: [{ uri: rootUri, name: "project" }],
      initializationOptions: initialization,
      capabilities: {
        general: { positionEncodings: ["utf-16"] },
        window: { workDoneProgress: true },
        workspace: { configuration: true, workspaceFolders: true },
        textDocument: { references: {}, synchronization: {} },
      },
    })
    await connection.sendNotification("initialized", {})
    for (const { path, languageId, text } of files)
      await connection.sendNotification("textDocument/didOpen", {
        textDocument: { uri: uriOf(path), languageId, version: 1, text },
      })
    const askAll = async () => {
      for (const { path, position } of positions) {
        const found = await connection.sendRequest("textDocument/references", {
          textDocument: { uri: uriOf(path) },
          position,
          context: { includeDeclaration: true },
        })
        for (const place of placesInAnswer(found, root)) places.set(`${place.path}:${place.line}`, place)
      }
    }
    await askAll()
    // Some servers answer before they have read the whole project; then ask again.
    if (await progress.wasActive()) await askAll()
  } finally {
    connection.dispose()
  }
}

/** Tracks the tasks that the server says it is working on. */
class Progress {
  readonly #active = new Set<string>()
  #wake: (() => void) | null = null

  constructor(connection: MessageConnection) {
    connection.onNotification(
      "$/progress",
      ({ token, value }: { token?: unknown; value?: { kind?: unknown } }) => {
        if (value?.kind === "begin") this.#active.add(String(token))
        else if (value?.kind === "end" && this.#active.delete(String(token)) && this.#active.size === 0)
          this.#wake?.()
      },
    )
  }

  /** Waits until the server has no task left; returns false if it had none. */
  async wasActive(): Promise<boolean> {
    if (this.#active.size === 0) return false
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    return true
  }
}

/** The reply to a request from the server. It gives the settings that are asked for, and edits or shows nothing. */
function answerTo(method: string, params: unknown, configuration: ServerQuestion["configuration"]): unknown {
  if (method === "workspace/applyEdit") return { applied: false }
  if (method !== "workspace/configuration") return null
  const items = (params as { items?: unknown } | undefined)?.items
  if (!Array.isArray(items)) return []
  const sections = items.slice(0, 1_000) as ({ section?: unknown } | null)[]
  return sections.map((item) => configuration[String(item?.section)] ?? null)
}

/** The locations in the server's answer that are files below the root. */
function placesInAnswer(answer: unknown, root: string): ServerPlace[] {
  if (!Array.isArray(answer)) return []
  const real = realpathSync(root)
  return answer
    .slice(0, 50_000)
    .flatMap((each: { uri?: unknown; range?: { start?: { line?: unknown } } } | null) => {
      const line = each?.range?.start?.line
      if (
        typeof each?.uri !== "string" ||
        typeof line !== "number" ||
        !Number.isSafeInteger(line) ||
        line < 0
      )
        return []
      const path = pathOfUri(each.uri)
      const base = path === null ? undefined : [root, real].find((folder) => isInside(folder, path))
      return base === undefined ? [] : [{ path: toPosix(relative(base, path!)), line: line + 1 }]
    })
}

function pathOfUri(uri: string): string | null {
  try {
    return fileURLToPath(uri)
  } catch {
    return null
  }
}

function limitedStream(onExcess: () => void): Transform {
  let left = MAX_ANSWER_BYTES
  return new Transform({
    transform(part: Buffer, _, done) {
      left -= part.length
      if (left < 0) onExcess()
      done(null, left < 0 ? Buffer.alloc(0) : part)
    },
  })
}

/** Environment variables that keep Go from downloading or running another toolchain that the project names. */
const FIXED = { GOTOOLCHAIN: "local", GOPROXY: "off", GOFLAGS: "-mod=readonly" }

/** The user's environment without the variables of aman and those that name the project, such as VIRTUAL_ENV. */
function environmentFor(root: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name, value = ""]) =>
      !/^(?:AMAN_.*|PATH)$/i.test(name) && ![root, realPlace(root)].some((each) => value.includes(each)),
  )
  return { ...Object.fromEntries(own), PATH: pathOutsideProjects(root), ...FIXED }
}
