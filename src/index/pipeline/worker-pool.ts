import { AmanError, type Config, type ErrorFields, type PhaseTimes, systemError } from "../../base/index.ts"
import { loadSyntaxTree, type RowRange } from "../../parse/index.ts"
import type {
  ChunkRow,
  DerivedRow,
  DividedFileRow,
  FileRank,
  FileRow,
  NameRank,
  NewSymbol,
  SegmentRow,
  SkippedRow,
  UsesRow,
  VectorsRow,
} from "../../store/index.ts"
import type { SourceText, Unreadable } from "../../text/index.ts"
import type { PackedChangeScan } from "../changes/detect-changes.ts"
import type { EmbeddableFile } from "../embedding/embed-batch.ts"

type QueuedTask = RunOptions & {
  readonly task: WorkerTask
  readonly resolve: (result: never) => void
  readonly reject: (error: Error) => void
}

export type RunOptions = {
  /** Receives the number of items done; `linking`: see WorkerReply. */
  readonly onProgress?: (done: number, linking?: number) => void
  /** True to run the task in a new worker that is ended after it, which frees all its memory. */
  readonly isAlone?: boolean
  /** True for a task that takes less time than starting a worker does: it waits for a worker that is busy. */
  readonly isShort?: boolean
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
 * they die or have grown large; `first` starts the first one: a worker follows this thread once its parser broke.
 */
export class WorkerPool {
  readonly #members: PoolWorker[] = []
  readonly #queue: QueuedTask[] = []
  readonly #spawn: () => Worker
  #first: (() => Worker) | null
  readonly #modules = new ParserModules()
  #closed = false

  readonly size: number

  constructor(size: number, spawn: () => Worker = spawnWorker, first: (() => Worker) | null = null) {
    this.size = size
    this.#spawn = spawn
    this.#first = first
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
  run<T extends WorkerTask>(task: T, options: RunOptions = {}): Promise<WorkerResults[T["kind"]]> {
    if (this.#closed) return Promise.reject(new AmanError("IO", "the index is being closed"))
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...options, task, resolve: resolve as (result: never) => void, reject })
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
    const worker = (this.#first ?? this.#spawn)()
    this.#first = null
    const member: PoolWorker = { worker, current: null, isFresh: true, watch: null }
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
      member.current?.onProgress?.(reply.progress, reply.linking)
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
    const isWaiting = this.#queue[0]!.isShort && this.#members.length > 0
    if (isWaiting || this.#members.length === this.size) return null
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
  return code === undefined ? new Error(message) : new AmanError(code, message, hint ? { hint } : {})
}

function spawnWorker(): Worker {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module", smol: true })
}

/** Compiles parser modules once for all workers of a pool. */
class ParserModules {
  readonly #compiled = new Map<string, Promise<WebAssembly.Module | null>>()

  async send(key: string, worker: Worker): Promise<void> {
    // Null on failure: the worker then tries to compile it itself, and reports the reason together with the file.
    const compile = async () => (await loadSyntaxTree()).compileModule(key)
    const compiled = this.#compiled.get(key) ?? compile().catch(() => null)
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

/** Reason for skipping a file that does not fit into the memory limit of the process. */
export const MEMORY_REASON = "memory limit"

/**
 * The error of a task whose worker was ended during the task, either because it reported nothing for too long or
 * because the process came close to its memory limit. `done` is the number of items that were complete.
 */
export class EndedError extends Error {
  override readonly name = "EndedError"
  readonly reason: "too slow" | typeof MEMORY_REASON
  readonly done: number

  constructor(reason: EndedError["reason"], done: number) {
    super(`a worker was ended: ${reason}`)
    this.reason = reason
    this.done = done
  }
}

/**
 * Calls `onStall` when nothing was reported for `ms`. It requires two timer ticks without a report, so that neither a
 * busy main thread nor a machine that slept counts as a stall.
 */
export class StallWatch {
  /** Number of items done at the last report. */
  done = 0
  readonly #timer: ReturnType<typeof setInterval>
  #checks = 0

  constructor(ms: number, onStall: (error: EndedError) => void) {
    this.#timer = setInterval(() => {
      if (++this.#checks === 2) onStall(new EndedError("too slow", this.done))
    }, ms / 2)
  }

  progressed(done: number): void {
    this.done = done
    this.#checks = 0
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

/** A file to read. `id` is the id for its new version; `knownHash` is the hash of the version in the index. */
export type FileTask = {
  readonly id: number
  readonly path: string
  readonly knownHash: string | null
  /** FILE_FLAG bits that `.gitattributes` sets for the file; absent if it sets none. */
  readonly attributeFlags?: number
  /** True for a file that is read without its syntax tree, because the tree takes too much memory. */
  readonly isPlain?: true
  /** True for a file that is read again, because its encoding must be guessed. */
  readonly mayGuess?: true
  /** The extracted text of a document, or why it has none; absent for other files, and before it was read. */
  readonly document?: SourceText | Unreadable
  /** The answer of the user's chunker program about the file; absent if it was not asked, or leaves the file to aman. */
  readonly givenChunks?: GivenChunks
}

export type GivenChunks = {
  /** Name of the program. */
  readonly program: string
  /** Hash of the content that the program was sent. */
  readonly hash: string
  /** Rows of its chunks in ascending order; null if it failed, then `failure` says why. */
  readonly rows: readonly RowRange[] | null
  readonly failure: string | null
}

export type ReadLimits = {
  readonly maxFileBytes: number
  /** Maximum time for parsing one file; a file that takes longer is chunked by lines. */
  readonly parseTimeoutMs: number
  /** Maximum WebAssembly memory of the thread's parser. */
  readonly maxParserBytes: number
  /** Resident memory of the process in bytes; above it, the worker ends its batch early. */
  readonly pauseBytes: number
}

export type ParseTask = {
  readonly kind: "parse"
  readonly root: string
  readonly files: readonly FileTask[]
  readonly limits: ReadLimits
}

export type FileOutcome =
  | {
      readonly status: "indexed"
      readonly file: FileRow
      readonly chunks: readonly ChunkRow[]
      readonly symbols: readonly NewSymbol[]
      /** Null when there is no syntax tree, from which the uses are derived. */
      readonly uses: UsesRow | null
      /** Null if the user's chunker program was not asked about the file, or left it to aman. */
      readonly divided: DividedFileRow | null
      /** The extracted text of a document; null for other files. */
      readonly documentText: string | null
    }
  | { readonly status: "same"; readonly path: string; readonly size: number; readonly mtimeMs: number }
  | ({ readonly status: "skipped" | "undecided" } & SkippedRow)

export type ParsedBatch = {
  readonly outcomes: readonly FileOutcome[]
  /** The keyword segments of the files that were indexed; usually one. */
  readonly segments: readonly Omit<SegmentRow, "id">[]
  readonly times: PhaseTimes
}

/** Files to embed. `folder` is the folder of the index. The worker only reads index.db. */
export type EmbedTask = EmbedWork & { readonly kind: "embed" }

/** Like EmbedTask, but the result is written to a file in the folder, because it may be large. */
export type EmbedPartTask = EmbedWork & { readonly kind: "embed-part"; readonly name: string }

export type EmbedWork = {
  readonly root: string
  readonly folder: string
  readonly maxFileBytes: number
  readonly files: readonly EmbeddableFile[]
}

export type EmbeddedBatch = {
  readonly vectors: readonly VectorsRow[]
}

export type MergeKeywordTask = {
  readonly kind: "merge-keyword"
  readonly folder: string
  readonly generation: number
  /** True to merge all delta segments with the base; false to merge only the deltas, into one more part of the base. */
  readonly isWhole: boolean
}

export type MergedKeyword = {
  readonly row: DerivedRow
  /** The new file contains the segments with ids up to this one. The deleted files in `dead` are dropped. */
  readonly upTo: number
  readonly dead: readonly number[]
}

export type MergeVectorsTask = {
  readonly kind: "merge-vectors"
  readonly folder: string
  readonly generation: number
  readonly spaceId: number
  readonly memoryLimitBytes: number
  readonly threads: number
  /** Names of files in the folder whose rows go directly into the new table. */
  readonly parts: readonly string[]
}

export type MergedVectors = {
  readonly rows: readonly DerivedRow[]
  /** `files`: ids of files whose delta rows are in the new tables; `tombstones`: ids whose deletion was applied. */
  readonly files: readonly number[]
  readonly dead: readonly number[]
}

export type ScanTask = {
  readonly kind: "scan"
  readonly root: string
  readonly config: Config
  /** The open folder of the index. */
  readonly folder: string
  /** True when the stored snapshot is valid, so that the scan may be compared with it. */
  readonly usable: boolean
  /** The worker sets element 0 to 1 as soon as any difference is found. */
  readonly changeFlag?: Int32Array<SharedArrayBuffer>
}

export type RankTask = { readonly kind: "rank"; readonly folder: string }

export type ProjectRanks = { readonly files: readonly FileRank[]; readonly names: readonly NameRank[] }

export type WorkerTask =
  | ScanTask
  | ParseTask
  | EmbedTask
  | EmbedPartTask
  | MergeKeywordTask
  | MergeVectorsTask
  | RankTask

export type WorkerResults = {
  readonly scan: PackedChangeScan
  readonly parse: ParsedBatch
  readonly embed: EmbeddedBatch
  readonly "embed-part": null
  readonly "merge-keyword": MergedKeyword
  readonly "merge-vectors": MergedVectors
  readonly rank: ProjectRanks
}

/** A message to a worker that is no task; the worker does not reply. */
export type Notice = "parse soon"

/** A compiled parser that a worker requested; `module` is null when the worker must compile it itself. */
export type ParserModule = { readonly key: string; readonly module: WebAssembly.Module | null }

/**
 * A message from a worker. `wasmBytes` is the WebAssembly memory of the worker. It never shrinks, so a worker with a
 * large one is replaced.
 */
export type WorkerReply =
  | { readonly result: WorkerResults[keyof WorkerResults]; readonly wasmBytes: number }
  | { readonly error: ErrorFields; readonly wasmBytes: number }
  /**
   * Progress: number of items of the task that are done. While vectors are added to a graph, `linking` is their total
   * number.
   */
  | { readonly progress: number; readonly linking?: number | undefined }
  /** A request for the compiled parser with this key. */
  | { readonly neededModule: string }
