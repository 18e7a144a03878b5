import { readFileSync } from "node:fs"
import type { ProjectOptions } from "../../app/project/open-project.ts"
import { log } from "../../base/log.ts"
import { residentBytes } from "../../base/resident-bytes.ts"
import { Calls } from "./calls.ts"
import { Repositories } from "./repositories.ts"
import { Workplace } from "./workplace.ts"

/** State of the server process, shared by all connections. */
export class Home implements AsyncDisposable {
  readonly options: ProjectOptions
  readonly calls = new Calls({
    onAnswered: () => this.#relief.relieve(),
    onPause: giveBackUnused,
    onRest: giveBackAll,
  })
  readonly #relief = new Relief()
  readonly repositories: Repositories
  /** Workplace shared by all connections; null if each client has its own. */
  readonly shared: Workplace | null

  constructor(options: ProjectOptions, { isShared }: { readonly isShared: boolean }) {
    const { root: _, cwd: __, onProgress: ___, ...flags } = options
    this.options = options
    this.repositories = new Repositories(flags, this.calls)
    this.shared = isShared ? new Workplace(options) : null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.repositories[Symbol.asyncDispose]()
    await this.shared?.[Symbol.asyncDispose]()
  }
}

/** Releases caches and JIT code, about a third of private memory. The next answer takes some 20 ms longer. */
function giveBackAll(): void {
  log.debug("at rest")
  Bun.shrink()
  giveBackPages()
}

/**
 * Collects garbage and releases unused pages, some 25 ms of work. Needed because the engine counts mapped
 * files as its own memory and would keep as much garbage as they are large.
 */
function giveBackUnused(): void {
  Bun.gc(true)
  giveBackPages()
  import("../../store/index/store.ts")
    .then((store) => store.releaseCaches())
    .catch((error: unknown) => log.warn("cannot give back caches", { message: String(error) }))
}

/**
 * Range of resident memory in which releasing it is worthwhile: below it there is no need, above it the gain
 * is a small part.
 */
const FEW_BYTES = 80e6
const MANY_BYTES = 200e6
/**
 * Growth of private memory since the last collection that triggers the next: two or three searches of five
 * repositories.
 */
const GROWN_BYTES = 8e6
/** Min time between two releases: pages in use are mapped again, which takes about 1 ms. */
const APART_MS = 100
/** Max share of the time spent on releasing memory under constant load. */
const MAX_SHARE = 0.1

/** Access to this process's memory, and the clock. */
type ProcessMemory = {
  readonly residentBytes: () => number
  /** Private memory that no file backs, in bytes; 0 if the system does not report it. */
  readonly ownBytes: () => number
  readonly collect: () => void
  readonly giveBackPages: () => void
  readonly nowMs: () => number
}

/** Releases garbage and file pages between two answers of a server under constant load. */
export class Relief {
  readonly #memory: ProcessMemory
  #dueMs = Number.NEGATIVE_INFINITY
  #heldBytes = 0

  constructor(memory: ProcessMemory = THIS_PROCESS) {
    this.#memory = memory
  }

  relieve(): void {
    const { residentBytes, ownBytes, collect, giveBackPages, nowMs } = this.#memory
    const startedMs = nowMs()
    if (startedMs < this.#dueMs) return
    // A pause releases more than a collection here does.
    const own = ownBytes()
    this.#heldBytes = Math.min(this.#heldBytes, own)
    const bytes = residentBytes()
    if (bytes < FEW_BYTES || bytes > MANY_BYTES) return
    if (own > this.#heldBytes + GROWN_BYTES) {
      collect()
      this.#heldBytes = ownBytes()
    }
    giveBackPages()
    this.#dueMs = startedMs + Math.max(APART_MS, (nowMs() - startedMs) / MAX_SHARE)
  }
}

const THIS_PROCESS: ProcessMemory = {
  residentBytes,
  ownBytes,
  collect: () => Bun.gc(true),
  giveBackPages,
  nowMs: () => performance.now(),
}

/**
 * Private memory, counted in pages of 4 KiB; if pages are larger, a collection comes later. proc_pid_statm(5)
 */
function ownBytes(): number {
  try {
    const [, resident = 0, shared = 0] = readFileSync("/proc/self/statm", "utf8").split(" ").map(Number)
    return (resident - shared) * PAGE_BYTES
  } catch {
    return 0
  }
}

const PAGE_BYTES = 4096

function giveBackPages(): void {
  Promise.all([import("../../store/give-back-pages.ts"), import("../../index/pipeline/worker-pool.ts")])
    .then(([pages, pool]) => {
      // While the index is being written, memory is released in the next pause.
      if (!pool.isAnyWorking()) pages.giveBackPages()
    })
    .catch((error: unknown) => log.warn("cannot give back pages", { message: String(error) }))
}
