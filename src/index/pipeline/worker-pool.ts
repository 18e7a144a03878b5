import { AmanError } from "../../base/errors.ts"
import { type ErrorFields, systemError } from "../../base/system-error.ts"
import type { Notice, ParserModule, WorkerReply, WorkerResults, WorkerTask } from "./messages.ts"
import { EndedError, MEMORY_REASON, StallWatch } from "./stall-watch.ts"

/** Receives the number of items done; `linking`: see WorkerReply. */
type OnProgress = (done: number, linking?: number) => void

type QueuedTask = {
  readonly task: WorkerTask
  readonly resolve: (result: never) => void
  readonly reject: (error: Error) => void
  readonly onProgress: OnProgress
  readonly isAlone: boolean
  readonly stallMs: number | undefined
}

export type RunOptions = {
  readonly onProgress?: OnProgress
  /** True to run the task in a new worker that is ended after it, which frees all its memory. */
  readonly isAlone?: boolean
  /** If the task reports no progress for this long, its worker is ended and the task rejects with an EndedError. */
  readonly stallMs?: number
}

type PoolWorker = { worker: Worker; current: QueuedTask | null; isFresh: boolean; watch: StallWatch | null }

// A worker is replaced when its WebAssembly memory exceeds this, because the memory of web-tree-sitter only grows.
// Replacing takes 40 to 80 ms (measured).
const RECYCLE_WASM_BYTES = 96 * 1024 * 1024

const working = new Set<PoolWorker>()

/** True while a worker of any pool runs a task, during which it may open and close files. */
export function isAnyWorking(): boolean {
  return working.size > 0
}

/**
 * A pool of at most `size` workers that run one task at a time each. Workers are started when needed, and replaced when
 * they die or have grown large.
 */
export class WorkerPool {
  readonly #members: PoolWorker[] = []
  readonly #queue: QueuedTask[] = []
  readonly #spawn: () => Worker
  readonly #modules = new ParserModules()
  #closed = false

  readonly size: number

  constructor(size: number, spawn: () => Worker = spawnWorker) {
    this.size = size
    this.#spawn = spawn
  }

  /**
   * Starts workers in advance, so that they load while this thread does something else. They also load their parser,
   * unless `notice` is null.
   */
  warm(count: number = this.size, notice: Notice | null = "parse soon"): void {
    while (this.#members.length < count) {
      try {
        const member = this.#start()
        if (notice !== null) member.worker.postMessage(notice)
      } catch {
        // The system has no memory for a thread. The first task tries again and reports the failure.
        return
      }
    }
  }

  /** Runs a task. Rejects if the worker dies during the task; the pool stays usable. */
  run<T extends WorkerTask>(
    task: T,
    { onProgress = () => {}, isAlone = false, stallMs }: RunOptions = {},
  ): Promise<WorkerResults[T["kind"]]> {
    if (this.#closed) return Promise.reject(new AmanError("IO", "the index is being closed"))
    return new Promise((resolve, reject) => {
      const waiting = { task, resolve: resolve as (result: never) => void, reject }
      this.#queue.push({ ...waiting, onProgress, isAlone, stallMs })
      this.#dispatch()
    })
  }

  /** Ends idle workers, which frees all their memory. */
  shrink(): void {
    this.#modules.forget()
    for (const member of this.#members.filter(({ current }) => current === null)) this.#end(member)
  }

  /**
   * Ends the workers that are parsing, because the process comes close to its memory limit. Their tasks, and the tasks
   * in the queue, reject with an EndedError.
   */
  endParsers(): void {
    const isParsing = (waiting: QueuedTask | null) => waiting?.task.kind === "parse"
    const queue = this.#queue.splice(0)
    this.#queue.push(...queue.filter((waiting) => !isParsing(waiting)))
    for (const waiting of queue.filter(isParsing)) waiting.reject(new EndedError(MEMORY_REASON, 0))
    for (const member of this.#members.filter(({ current }) => isParsing(current))) {
      const error = new EndedError(MEMORY_REASON, member.watch?.done ?? 0)
      const current = this.#release(member)
      this.#end(member)
      current?.reject(error)
    }
    this.#dispatch()
  }

  close(): void {
    this.#closed = true
    const error = new AmanError("IO", "the index is being closed")
    for (const waiting of this.#queue.splice(0)) waiting.reject(error)
    for (const member of this.#members) {
      member.worker.terminate()
      this.#release(member)?.reject(error)
    }
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #start(): PoolWorker {
    const member: PoolWorker = { worker: this.#spawn(), current: null, isFresh: true, watch: null }
    this.#listen(member)
    this.#members.push(member)
    return member
  }

  #listen(member: PoolWorker): void {
    const { worker } = member
    worker.onmessage = (event: MessageEvent<WorkerReply>) => {
      if (member.worker === worker) this.#onReply(member, event.data)
    }
    // A worker may also end without an error event.
    worker.addEventListener("close", () => {
      if (member.worker === worker && member.current !== null)
        this.#died(member, new Error("the worker ended"))
    })
    worker.onerror = (event) => {
      event.preventDefault()
      if (member.worker === worker) this.#died(member, new Error(event.message))
    }
  }

  #onReply(member: PoolWorker, reply: WorkerReply): void {
    if ("neededModule" in reply) {
      void this.#modules.send(reply.neededModule, member.worker)
      return
    }
    if ("progress" in reply) {
      member.watch?.progressed(reply.progress)
      member.current?.onProgress(reply.progress, reply.linking)
      return
    }
    const current = this.#release(member)
    if (current?.isAlone) this.#end(member)
    else if (reply.wasmBytes > RECYCLE_WASM_BYTES) this.#replace(member)
    if ("error" in reply) current?.reject(toError(reply.error))
    else current?.resolve(reply.result as never)
    this.#dispatch()
  }

  #died(member: PoolWorker, error: Error): void {
    const current = this.#release(member)
    if (this.#closed) return
    this.#replace(member)
    current?.reject(error)
    this.#dispatch()
  }

  #release(member: PoolWorker): QueuedTask | null {
    const { current } = member
    member.watch?.stop()
    member.watch = null
    member.current = null
    working.delete(member)
    return current
  }

  #end(member: PoolWorker): void {
    // A reply of the old worker may still be on its way, and must not be taken for one of the new worker.
    member.worker.onmessage = null
    member.worker.terminate()
    this.#members.splice(this.#members.indexOf(member), 1)
  }

  /**
   * Replaces the worker of a pool member. Returns false if the system refuses to start one; the pool is then smaller.
   */
  #replace(member: PoolWorker): boolean {
    member.worker.terminate()
    try {
      member.worker = this.#spawn()
    } catch {
      this.#members.splice(this.#members.indexOf(member), 1)
      return false
    }
    member.isFresh = true
    this.#listen(member)
    return true
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const member = this.#idle()
      if (member === null) return
      if (this.#queue[0]!.isAlone && !member.isFresh && !this.#replace(member)) continue
      const next = this.#queue.shift()!
      member.isFresh = false
      member.current = next
      working.add(member)
      if (next.stallMs !== undefined)
        member.watch = new StallWatch(next.stallMs, (error) => this.#died(member, error))
      member.worker.postMessage(next.task)
    }
  }

  /**
   * A pool member without a task; null if there is none. If the system refuses to start the first worker, all queued
   * tasks reject; if it refuses a further one, they wait for the workers that exist.
   */
  #idle(): PoolWorker | null {
    const idle = this.#members.find((member) => member.current === null)
    if (idle !== undefined) return idle
    if (this.#members.length === this.size) return null
    try {
      return this.#start()
    } catch (thrown) {
      if (this.#members.length > 0) return null
      const error = systemError(thrown) ?? (thrown as Error)
      for (const waiting of this.#queue.splice(0)) waiting.reject(error)
      return null
    }
  }
}

function toError({ message, code, hint }: ErrorFields): Error {
  return code === undefined
    ? new Error(message)
    : new AmanError(code, message, hint === undefined ? {} : { hint })
}

function spawnWorker(): Worker {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module", smol: true })
}

/** Compiles parser modules once for all workers of a pool. */
class ParserModules {
  readonly #compiled = new Map<string, Promise<WebAssembly.Module | null>>()

  async send(key: string, worker: Worker): Promise<void> {
    const compiled = this.#compiled.get(key) ?? compile(key)
    this.#compiled.set(key, compiled)
    const reply: ParserModule = { key, module: await compiled }
    try {
      worker.postMessage(reply)
    } catch {
      // The worker has ended in the meantime.
    }
  }

  /** Drops the compiled modules, so that their memory is freed once no worker uses them. */
  forget(): void {
    this.#compiled.clear()
  }
}

/**
 * Compiles the parser module with this key. Null on failure: the worker then tries to compile it itself, and reports
 * the reason together with the file.
 */
async function compile(key: string): Promise<WebAssembly.Module | null> {
  try {
    const { compileModule } = await import("../../code/parse/syntax-tree.ts")
    return await compileModule(key)
  } catch {
    return null
  }
}
