import { AmanError } from "../base/errors.ts"
import type { WorkerReply, WorkerResults, WorkerTask } from "./messages.ts"

type Waiting = {
  readonly task: WorkerTask
  readonly resolve: (result: never) => void
  readonly reject: (error: Error) => void
  readonly onProgress: (done: number) => void
  readonly isAlone: boolean
}

export type RunOptions = {
  readonly onProgress?: (done: number) => void
  /** In a worker that did nothing before and does nothing after: all it maps and holds goes with it. */
  readonly isAlone?: boolean
}

type Member = { worker: Worker; current: Waiting | null; isFresh: boolean }

// web-tree-sitter's memory only grows; a fresh worker gives it back (measured: 40 to 80 ms).
const RECYCLE_WASM_BYTES = 96 * 1024 * 1024

/** At most `size` workers, a task at a time each, started when needed, replaced when they die or have grown large. */
export class WorkerPool {
  readonly #members: Member[] = []
  readonly #queue: Waiting[] = []
  readonly #spawn: () => Worker
  #closed = false

  readonly size: number

  constructor(size: number, spawn: () => Worker = spawnWorker) {
    this.size = size
    this.#spawn = spawn
  }

  /** Starts all workers now, so that they come up while there is something else to do. */
  warm(): void {
    while (this.#members.length < this.size) this.#members.push(this.#start())
  }

  /** Rejects where the worker died of the task; the pool itself goes on. */
  run<T extends WorkerTask>(
    task: T,
    { onProgress = () => {}, isAlone = false }: RunOptions = {},
  ): Promise<WorkerResults[T["kind"]]> {
    if (this.#closed) return Promise.reject(new AmanError("IO", "the index is being closed"))
    return new Promise((resolve, reject) => {
      this.#queue.push({ task, resolve: resolve as (result: never) => void, reject, onProgress, isAlone })
      this.#dispatch()
    })
  }

  /** Ends workers that have nothing to do, with all the memory they hold. */
  shrink(): void {
    for (const member of this.#members.filter(({ current }) => current === null)) this.#end(member)
  }

  close(): void {
    this.#closed = true
    const error = new AmanError("IO", "the index is being closed")
    for (const waiting of this.#queue.splice(0)) waiting.reject(error)
    for (const member of this.#members) {
      member.worker.terminate()
      member.current?.reject(error)
      member.current = null
    }
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #start(): Member {
    const member: Member = { worker: this.#spawn(), current: null, isFresh: true }
    this.#listen(member)
    return member
  }

  #listen(member: Member): void {
    const { worker } = member
    worker.onmessage = (event: MessageEvent<WorkerReply>) => this.#heard(member, event.data)
    // A worker may end without an error, too.
    worker.addEventListener("close", () => {
      if (member.worker === worker && member.current !== null) this.#died(member, "the worker ended")
    })
    worker.onerror = (event) => {
      event.preventDefault()
      if (member.worker === worker) this.#died(member, event.message)
    }
  }

  #heard(member: Member, reply: WorkerReply): void {
    const { current } = member
    if ("progress" in reply) {
      current?.onProgress(reply.progress)
      return
    }
    member.current = null
    if (current?.isAlone) this.#end(member)
    else if (reply.wasmBytes > RECYCLE_WASM_BYTES) this.#replace(member)
    if ("error" in reply) current?.reject(new Error(reply.error))
    else current?.resolve(reply.result as never)
    this.#dispatch()
  }

  #died(member: Member, message: string): void {
    const { current } = member
    member.current = null
    if (this.#closed) return
    this.#replace(member)
    current?.reject(new Error(message))
    this.#dispatch()
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

function spawnWorker(): Worker {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module", smol: true })
}
