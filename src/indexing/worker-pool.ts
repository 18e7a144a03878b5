import { AmanError } from "../base/errors.ts"
import { LentModules } from "./lent-modules.ts"
import type { Notice, WorkerError, WorkerReply, WorkerResults, WorkerTask } from "./messages.ts"
import { StallWatch } from "./stall-watch.ts"

/** `linking`: see WorkerReply. */
type OnProgress = (done: number, linking?: number) => void

type Waiting = {
  readonly task: WorkerTask
  readonly resolve: (result: never) => void
  readonly reject: (error: Error) => void
  readonly onProgress: OnProgress
  readonly isAlone: boolean
  readonly stallMs: number | undefined
}

export type RunOptions = {
  readonly onProgress?: OnProgress
  /** In a worker that did nothing before and does nothing after: all it maps and holds goes with it. */
  readonly isAlone?: boolean
  /** Rejects with a StallError, and ends the worker, when there is no progress for so long. */
  readonly stallMs?: number
}

type Member = { worker: Worker; current: Waiting | null; isFresh: boolean; watch: StallWatch | null }

// web-tree-sitter's memory only grows; a fresh worker gives it back (measured: 40 to 80 ms).
const RECYCLE_WASM_BYTES = 96 * 1024 * 1024

const working = new Set<Member>()

/** Whether a worker of any pool may open and close files now. */
export function isAnyWorking(): boolean {
  return working.size > 0
}

/** At most `size` workers, a task at a time each, started when needed, replaced when they die or have grown large. */
export class WorkerPool {
  readonly #members: Member[] = []
  readonly #queue: Waiting[] = []
  readonly #spawn: () => Worker
  readonly #modules = new LentModules()
  #closed = false

  readonly size: number

  constructor(size: number, spawn: () => Worker = spawnWorker) {
    this.size = size
    this.#spawn = spawn
  }

  /**
   * Starts workers now, so that they come up while there is something else to do: and load their parser, unless what
   * comes needs none.
   */
  warm(count: number = this.size, notice: Notice | null = "parse soon"): void {
    while (this.#members.length < count) {
      const member = this.#start()
      this.#members.push(member)
      if (notice !== null) member.worker.postMessage(notice)
    }
  }

  /** Rejects where the worker died of the task; the pool itself goes on. */
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

  /** Ends workers that have nothing to do, with all the memory they hold. */
  shrink(): void {
    this.#modules.forget()
    for (const member of this.#members.filter(({ current }) => current === null)) this.#end(member)
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

  #start(): Member {
    const member: Member = { worker: this.#spawn(), current: null, isFresh: true, watch: null }
    this.#listen(member)
    return member
  }

  #listen(member: Member): void {
    const { worker } = member
    worker.onmessage = (event: MessageEvent<WorkerReply>) => {
      if (member.worker === worker) this.#heard(member, event.data)
    }
    // A worker may end without an error, too.
    worker.addEventListener("close", () => {
      if (member.worker === worker && member.current !== null)
        this.#died(member, new Error("the worker ended"))
    })
    worker.onerror = (event) => {
      event.preventDefault()
      if (member.worker === worker) this.#died(member, new Error(event.message))
    }
  }

  #heard(member: Member, reply: WorkerReply): void {
    if ("wants" in reply) {
      void this.#modules.lend(reply.wants, member.worker)
      return
    }
    if ("progress" in reply) {
      member.watch?.heard(reply.progress)
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

  #died(member: Member, error: Error): void {
    const current = this.#release(member)
    if (this.#closed) return
    this.#replace(member)
    current?.reject(error)
    this.#dispatch()
  }

  #release(member: Member): Waiting | null {
    const { current } = member
    member.watch?.stop()
    member.watch = null
    member.current = null
    working.delete(member)
    return current
  }

  #end(member: Member): void {
    member.worker.terminate()
    this.#members.splice(this.#members.indexOf(member), 1)
  }

  #replace(member: Member): void {
    member.worker.terminate()
    member.worker = this.#spawn()
    member.isFresh = true
    this.#listen(member)
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const member = this.#idle()
      if (member === null) return
      const next = this.#queue.shift()!
      if (next.isAlone && !member.isFresh) this.#replace(member)
      member.isFresh = false
      member.current = next
      working.add(member)
      if (next.stallMs !== undefined)
        member.watch = new StallWatch(next.stallMs, (error) => this.#died(member, error))
      member.worker.postMessage(next.task)
    }
  }

  #idle(): Member | null {
    const idle = this.#members.find((member) => member.current === null)
    if (idle !== undefined) return idle
    if (this.#members.length === this.size) return null
    const member = this.#start()
    this.#members.push(member)
    return member
  }
}

function toError({ message, code, hint }: WorkerError): Error {
  return code === undefined
    ? new Error(message)
    : new AmanError(code, message, hint === undefined ? {} : { hint })
}

function spawnWorker(): Worker {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module", smol: true })
}
