/*
 * The further processes of a query node. Each is a node of its own with a part of the repositories, listens on this machine
 * only and is known to the others through the catalogue; the first process takes the requests of people.
 */

import { availableParallelism } from "node:os"
import { failure } from "../../../src/ask/index.ts"
import { log, machineMemoryBytes, messageOf } from "../../../src/base/index.ts"
import { removeOwnFolder } from "../own-folder.ts"
import { eachLine, endOwn, type OwnProcess, startOwn } from "../own-processes.ts"
import type { TeamServerOptions } from "./node.ts"
import { NODE_PATH } from "./other-nodes.ts"

/** Memory that a process of a node may need. */
const PROCESS_BYTES = 1 << 30

/** Number of processes by default: one for each core, if the machine has the memory. */
export function usualProcesses(): number {
  return Math.max(1, Math.min(availableParallelism(), Math.floor(machineMemoryBytes() / PROCESS_BYTES)))
}

/** Variable with the options of a further process, which the first one sets. */
export const PROCESS_OPTIONS = "AMAN_TEAM_PROCESS"

/** Pause in ms before a process that ended is started again; doubled up to the maximum if it ends soon. */
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 60_000
/** Time in ms in which a process ends by itself. */
const END_MS = 1500

/** Path of a request of another node to a further process, through the first one. */
const THROUGH = new RegExp(`^(/process/\\d+)${NODE_PATH}$`)

/** Starts the further processes of a node, starts one again that ends, and ends them all when it is disposed of. */
export class FurtherProcesses implements AsyncDisposable {
  readonly #options: TeamServerOptions
  readonly #running = new Map<string, OwnProcess>()
  /** Addresses on this machine, by the path of `THROUGH`. */
  readonly #urls = new Map<string, string>()
  #isEnding = false

  /**
   * `options`: those of the first process, whose name they have. Once `signal` is aborted, none is started again: systemd and a
   * terminal may end all processes of a node at the same time.
   */
  constructor(options: TeamServerOptions & { readonly name: string }, signal: AbortSignal) {
    this.#options = options
    this.#isEnding = signal.aborted
    signal.addEventListener("abort", () => {
      this.#isEnding = true
    })
    if (options.isFurther) return
    const { name, processes } = options
    for (let at = 2; at <= processes; at++) void this.#keep(name, at)
    // Of a start with more processes.
    for (let at = processes + 1; removeOwnFolder("node", `${name}/${at}`); at++);
  }

  /**
   * The answer of a further process to another node; null for any other request. It is awaited until that node goes away, at
   * most for the time in which a question is answered, because a process that hangs would otherwise keep this one from ending.
   */
  async answer(request: Request): Promise<Response | null> {
    const path = THROUGH.exec(new URL(request.url).pathname)?.[1]
    const url = path === undefined ? undefined : this.#urls.get(path)
    if (url === undefined) return null
    const { method, headers } = request
    const authorization = headers.get("authorization") ?? ""
    const body = await request.text()
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(this.#options.deadlineMs)])
    try {
      const asked = { method, headers: { authorization }, body, redirect: "error", signal } as const
      return await fetch(`${url}${NODE_PATH}`, asked)
    } catch (error) {
      log.warn("a process of the node did not answer", { path, error: messageOf(error) })
      return failure(503, "TEAM", "a process of the node did not answer", "try again")
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true
    await endOwn([...this.#running.values()], END_MS)
  }

  async #keep(base: string, at: number): Promise<void> {
    const [name, path] = [`${base}/${at}`, `/process/${at}`]
    const { advertised } = this.#options
    const own: Omit<TeamServerOptions, "onListening"> = {
      ...{ ...this.#options, name, host: "127.0.0.1", port: 0, tls: null, oidc: null, drainS: 0 },
      ...{ webhookSecret: null, metricsToken: null, advertised: advertised && `${advertised}${path}` },
    }
    const env = { ...process.env, [PROCESS_OPTIONS]: JSON.stringify(own) }
    const logging = ["--log", log.isJson ? "json" : "text", "--log-level", log.level]
    for (let pauseMs = FIRST_PAUSE_MS; !this.#isEnding; ) {
      const started = performance.now()
      // A process that cannot be started, for lack of memory or while the program is replaced, must not end this one.
      const ended = await this.#run(name, path, ["serve", "--json", ...logging], env).catch(messageOf)
      if (this.#isEnding) return
      log.warn("a process of the node ended and is started again", {
        ...{ name, ended, pause_s: pauseMs / 1000 },
      })
      await Bun.sleep(pauseMs)
      const isSoon = performance.now() - started < 2 * MAX_PAUSE_MS
      pauseMs = isSoon ? Math.min(MAX_PAUSE_MS, pauseMs * 2) : FIRST_PAUSE_MS
    }
  }

  /** Runs a process; how it ended. Throws if it could not be started. */
  async #run(name: string, path: string, ...start: Parameters<typeof startOwn>): Promise<string> {
    const child = startOwn(...start)
    this.#running.set(name, child)
    try {
      await eachLine(child, (line) => this.#urls.set(path, JSON.parse(line).url))
      await child.exited
      return `${child.signalCode ?? `exit code ${child.exitCode}`}`
    } finally {
      child.kill("SIGKILL")
      this.#urls.delete(path)
      this.#running.delete(name)
    }
  }
}
