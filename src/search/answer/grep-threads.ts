/*
 * Runs text searches of a server's clients in threads, because a pattern can keep a thread busy for seconds. `run`
 * queues a search, `#dispatch` starts the next one in a free thread, `#onReply` collects results. A search that does
 * not end in time has its thread ended (`#giveUp`) and answers with the results so far.
 */

import { AmanError, type Config, type ErrorFields } from "../../base/index.ts"
import { type Project, projectPath } from "../../index/index.ts"
import {
  GREP_TIMEOUT_MS,
  type GrepAnswer,
  type GrepQuestion,
  type GrepResult,
  SHARED,
  SHARED_BYTES,
  stoppedAnswer,
} from "./grep-project.ts"

export type GrepTask = {
  readonly root: string
  readonly config: Config
  readonly isFixed: boolean
  readonly question: GrepQuestion
  readonly timeoutMs: number
  /** Numbers that both threads read; SHARED names their positions. */
  readonly shared: SharedArrayBuffer
}

export type GrepReply =
  | { readonly result: GrepResult }
  | { readonly answer: GrepAnswer }
  | { readonly error: ErrorFields }

type GrepRun = {
  readonly task: GrepTask
  /** The client that the search belongs to. */
  readonly client: object
  readonly signal: AbortSignal | undefined
  readonly resolve: (answer: GrepAnswer) => void
  readonly reject: (error: unknown) => void
  /** The results so far. */
  readonly results: GrepResult[]
}

type Thread = {
  readonly worker: Worker
  run: GrepRun | null
  /** Timer that ends the thread when the search does not end in time. */
  overdue: ReturnType<typeof setTimeout> | null
}

// A client has at most one running search, so that of two threads one is free for another client.
const THREADS = 2
// Time after the deadline at which a thread is ended. A search checks its deadline between lines; a search that exceeds
// it is still working on a single line.
const GRACE_MS = 1000
// Time after which idle threads are ended. A thread holds some 15 MB and what it remembers of the files (GrepMemory), with
// which the next search takes a fifth of the time; it starts in 35 to 80 ms.
const IDLE_MS = 300_000

/**
 * Text searches for a server's clients, each in its own thread: the cost depends on the pattern, and the
 * server must answer other requests meanwhile. Clients take turns.
 */
export class GrepThreads {
  readonly #threads: Thread[] = []
  readonly #queue: GrepRun[] = []
  /** For each client, the value of a counter when its last search was started. */
  readonly #served = new WeakMap<object, number>()
  #count = 0
  #idle: ReturnType<typeof setTimeout> | null = null

  /** The complete answer, or what was found by `timeoutMs` after the start, with a notice. */
  run(
    { root, config, isFixed = false }: Pick<GrepTask, "root" | "config"> & { readonly isFixed?: boolean },
    question: GrepQuestion,
    { client, signal, timeoutMs }: { client: object; signal?: AbortSignal | undefined; timeoutMs: number },
  ): Promise<GrepAnswer> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const shared = new SharedArrayBuffer(SHARED_BYTES)
      const task = { root, config, isFixed, question, timeoutMs, shared }
      const run: GrepRun = { task, client, signal, resolve, reject, results: [] }
      signal?.addEventListener("abort", () => this.#cancel(run), { once: true })
      this.#queue.push(run)
      this.#dispatch()
    })
  }

  #dispatch(): void {
    for (let run = this.#next(); run !== null; run = this.#next()) {
      const thread = this.#freeThread()
      if (thread === null) return
      this.#queue.splice(this.#queue.indexOf(run), 1)
      this.#start(thread, run)
    }
    this.#endIdleThreadsLater()
  }

  /**
   * The next search to run: of the clients without a running search, the client whose last search is longest ago comes
   * first.
   */
  #next(): GrepRun | null {
    const busy = new Set(this.#threads.map(({ run }) => run?.client))
    const waiting = this.#queue.filter(({ client }) => !busy.has(client))
    const servedAt = ({ client }: GrepRun) => this.#served.get(client) ?? 0
    return waiting.sort((one, other) => servedAt(one) - servedAt(other))[0] ?? null
  }

  #freeThread(): Thread | null {
    const free = this.#threads.find(({ run }) => run === null)
    if (free !== undefined || this.#threads.length === THREADS) return free ?? null
    let worker: Worker
    try {
      worker = new Worker(new URL("./grep-worker.ts", import.meta.url), { type: "module", smol: true })
    } catch (error) {
      // The system refuses a new thread: wait for the running ones, or fail if there is none.
      if (this.#threads.length === 0) for (const { reject } of this.#queue.splice(0)) reject(error)
      return null
    }
    // The thread must not keep an ending server alive.
    ;(worker as Worker & { unref(): void }).unref()
    const thread: Thread = { worker, run: null, overdue: null }
    worker.onmessage = ({ data }: MessageEvent<GrepReply>) => this.#onReply(thread, data)
    worker.onerror = (event) => {
      event.preventDefault()
      this.#died(thread, event.message)
    }
    worker.addEventListener("close", () => this.#died(thread, "the thread ended"))
    this.#threads.push(thread)
    return thread
  }

  #start(thread: Thread, run: GrepRun): void {
    this.#served.set(run.client, ++this.#count)
    thread.run = run
    thread.overdue = setTimeout(() => this.#giveUp(thread), run.task.timeoutMs + GRACE_MS)
    thread.overdue.unref()
    thread.worker.postMessage(run.task)
  }

  #onReply(thread: Thread, reply: GrepReply): void {
    if (thread.run === null) return
    if ("result" in reply) {
      thread.run.results.push(reply.result)
      return
    }
    const { resolve, reject } = this.#release(thread)!
    if ("answer" in reply) resolve(reply.answer)
    else reject(toError(reply.error))
    this.#dispatch()
  }

  /** Rejects the caller at once; the thread is ended if it does not react soon. */
  #cancel(run: GrepRun): void {
    run.reject(run.signal?.reason)
    const at = this.#queue.indexOf(run)
    if (at >= 0) this.#queue.splice(at, 1)
    const thread = this.#threads.find((each) => each.run === run)
    if (thread === undefined) return
    Atomics.store(new Int32Array(run.task.shared), SHARED.cancelled, 1)
    if (thread.overdue !== null) clearTimeout(thread.overdue)
    thread.overdue = setTimeout(() => this.#giveUp(thread), GRACE_MS)
    thread.overdue.unref()
  }

  /** Ends the thread and resolves with the results reported so far. */
  #giveUp(thread: Thread): void {
    const run = this.#release(thread)
    this.#end(thread)
    if (run !== null) {
      const { question, shared, timeoutMs } = run.task
      const counts = new Int32Array(shared)
      const [files, matches, searched] = [SHARED.files, SHARED.matches, SHARED.searched].map(
        (at) => counts[at]!,
      )
      const progress = { results: run.results, files: files!, matches: matches!, searched: searched! }
      run.resolve(stoppedAnswer(question, progress, timeoutMs + GRACE_MS))
    }
    this.#dispatch()
  }

  #died(thread: Thread, reason: string): void {
    if (!this.#threads.includes(thread)) return
    const run = this.#release(thread)
    this.#end(thread)
    run?.reject(new AmanError("IO", `the search failed: ${reason}`, { hint: "search in a smaller folder" }))
    this.#dispatch()
  }

  #release(thread: Thread): GrepRun | null {
    const { run, overdue } = thread
    if (overdue !== null) clearTimeout(overdue)
    thread.overdue = null
    thread.run = null
    return run
  }

  #end(thread: Thread): void {
    this.#threads.splice(this.#threads.indexOf(thread), 1)
    thread.worker.terminate()
  }

  #endIdleThreadsLater(): void {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      for (const thread of [...this.#threads]) if (thread.run === null) this.#end(thread)
    }, IDLE_MS)
    this.#idle.unref()
  }
}

function toError({ message, code, hint }: Extract<GrepReply, { error: unknown }>["error"]): Error {
  return code === undefined ? new Error(message) : new AmanError(code, message, hint ? { hint } : {})
}

/** One call of a client, which may run several searches. */
export type GrepCaller = {
  readonly client: object
  readonly signal: AbortSignal | undefined
  /** Remaining search time, shared by all searches of one call. */
  readonly budget: { leftMs: number }
}

export function grepCaller(client: object, signal?: AbortSignal): GrepCaller {
  return { client, signal, budget: { leftMs: GREP_TIMEOUT_MS } }
}

// Minimum time, so that the last of several searches reads some files, too.
const MIN_MS = 250

const threads = new GrepThreads()

/** A text search that does not block the server's other clients. */
export async function grepForServer(
  project: Project,
  question: GrepQuestion,
  { client, signal, budget }: GrepCaller,
): Promise<GrepAnswer> {
  const timeoutMs = Math.max(MIN_MS, budget.leftMs)
  try {
    const place = { root: project.root, config: project.config, isFixed: project.reader()?.isFixed === true }
    const answer = await threads.run(place, question, { client, signal, timeoutMs })
    budget.leftMs -= answer.took_ms
    return answer
  } catch (error) {
    // The hint of this error comes from the index, which only this thread opens.
    if (error instanceof AmanError && error.code === "NOT_FOUND")
      for (const path of question.paths) projectPath(project, path)
    throw error
  }
}
