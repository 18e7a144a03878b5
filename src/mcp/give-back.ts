import { readFileSync } from "node:fs"
import { log } from "../base/log.ts"

/**
 * What a process holds only to be quick goes, a third of what is its own: the code that was compiled while it answered.
 * The next answer takes some 20 ms more.
 */
export function giveBackAll(): void {
  log.debug("at rest")
  Bun.shrink()
  giveBackPages()
}

/**
 * What the answers left behind goes, some 25 ms of work: the engine takes mapped files for its own, and would let as
 * much garbage lie as they are large.
 */
export function giveBackUnused(): void {
  Bun.gc(true)
  giveBackPages()
  import("../store/store.ts")
    .then((store) => store.giveBackCaches())
    .catch((error: unknown) => log.warn("cannot give back caches", { message: String(error) }))
}

/** Where what a busy server leaves lying makes a difference: below there is no need, above it is a small part. */
const FEW_BYTES = 80e6
const MANY_BYTES = 200e6
/** So much more of its own than after the last collection: what two or three searches of five repositories leave. */
const GROWN_BYTES = 8e6
/** What runs all the time is mapped again, which takes about a millisecond. */
const APART_MS = 100
/** Of the time of who asks without a pause. */
const MOST_SHARE = 0.1

/** The memory of this process, and the clock. */
export type ProcessMemory = {
  readonly residentBytes: () => number
  /** What no file backs; 0 where the system does not tell. */
  readonly ownBytes: () => number
  readonly collect: () => void
  readonly giveBackPages: () => void
  readonly nowMs: () => number
}

/** A server that is asked without a pause lets go of garbage, and of the pages of files, between two answers. */
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
    // A pause lets go of more than a collection here does.
    const own = ownBytes()
    this.#heldBytes = Math.min(this.#heldBytes, own)
    const bytes = residentBytes()
    if (bytes < FEW_BYTES || bytes > MANY_BYTES) return
    if (own > this.#heldBytes + GROWN_BYTES) {
      collect()
      this.#heldBytes = ownBytes()
    }
    giveBackPages()
    this.#dueMs = startedMs + Math.max(APART_MS, (nowMs() - startedMs) / MOST_SHARE)
  }
}

const THIS_PROCESS: ProcessMemory = {
  residentBytes: () => process.memoryUsage.rss(),
  ownBytes,
  collect: () => Bun.gc(true),
  giveBackPages,
  nowMs: () => performance.now(),
}

/** In pages of 4 KiB; where they are larger a collection comes later. proc_pid_statm(5) */
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
  Promise.all([import("../store/give-back-pages.ts"), import("../indexing/worker-pool.ts")])
    .then(([pages, pool]) => {
      // While the index is being written the next pause does.
      if (!pool.isAnyWorking()) pages.giveBackPages()
    })
    .catch((error: unknown) => log.warn("cannot give back pages", { message: String(error) }))
}
