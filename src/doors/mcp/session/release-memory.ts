import { readFileSync } from "node:fs"
import { log, residentBytes } from "../../../base/index.ts"
import { loadWorkerPool } from "../../../index/index.ts"
import { loadReleasePages, loadStore } from "../../../store/index.ts"

/** Releases JIT code, about a third of the private memory that is left. The next answer takes some 100 ms longer. */
export function releaseAll(): void {
  log.debug("at rest")
  Bun.shrink()
  releasePages()
}

/**
 * Releases what is kept about symbols and result files: of 280 MB of private memory after many contexts 150 are left,
 * because these objects lie among garbage and hold its pages. The next context takes half as long again.
 */
export function releaseKept(): void {
  loadStore()
    .then((store) => store.releaseKept())
    .catch((error: unknown) => log.warn("cannot release caches", { message: String(error) }))
    .finally(() => {
      Bun.gc(true)
      releasePages()
    })
}

/**
 * Collects garbage and releases unused pages, which takes some 25 ms. Needed because the engine counts mapped
 * files as its own memory, and so would keep an amount of garbage as large as those files.
 */
export function releaseUnused(): void {
  Bun.gc(true)
  releasePages()
  loadStore()
    .then((store) => store.releaseCaches())
    .catch((error: unknown) => log.warn("cannot release caches", { message: String(error) }))
}

/** Resident memory in bytes below which there is no need to release any. */
const MIN_RESIDENT_BYTES = 80e6
/** Resident memory in bytes above which file pages are a small part. */
const MAX_RESIDENT_BYTES = 200e6
/**
 * Growth of private memory since the last collection that triggers the next one: as much as two or three searches in
 * five repositories allocate, or a share of the memory that was in use then, because a collection takes the longer the
 * more there is.
 */
const MAX_GROWTH_BYTES = 8e6
const MAX_GROWTH_SHARE = 0.125
/**
 * Min time between two releases, because each makes the system map the pages in use again, which takes about 1
 * ms.
 */
const MIN_INTERVAL_MS = 100
/** Max share of the time spent on releasing memory under constant load. */
const MAX_SHARE = 0.1

/** Access to this process's memory, and the clock. */
type ProcessMemory = {
  readonly residentBytes: () => number
  /** Private memory that no file backs, in bytes; 0 if the system does not report it. */
  readonly ownBytes: () => number
  readonly collect: () => void
  readonly releasePages: () => void
  readonly nowMs: () => number
}

/** Releases garbage and file pages between two answers of a server under constant load. */
export class MemoryRelease {
  readonly #memory: ProcessMemory
  #dueMs = Number.NEGATIVE_INFINITY
  /** Smallest private memory in bytes that was measured since the last garbage collection. */
  #heldBytes = 0

  constructor(memory: ProcessMemory = THIS_PROCESS) {
    this.#memory = memory
  }

  /**
   * Collects garbage and returns pages to the system, after all calls are answered. Does nothing below
   * MIN_RESIDENT_BYTES, or if it would take more than MAX_SHARE of the time.
   */
  afterAnswer(): void {
    const { residentBytes, ownBytes, collect, releasePages, nowMs } = this.#memory
    const startedMs = nowMs()
    if (startedMs < this.#dueMs) return
    // If releaseUnused has run in a longer pause since the last collection, it has released more than a collection
    // here would.
    const own = ownBytes()
    this.#heldBytes = Math.min(this.#heldBytes, own)
    const bytes = residentBytes()
    if (bytes < MIN_RESIDENT_BYTES) return
    if (own - this.#heldBytes > Math.max(MAX_GROWTH_BYTES, this.#heldBytes * MAX_GROWTH_SHARE)) {
      collect()
      this.#heldBytes = ownBytes()
    }
    if (bytes <= MAX_RESIDENT_BYTES) releasePages()
    this.#dueMs = startedMs + Math.max(MIN_INTERVAL_MS, (nowMs() - startedMs) / MAX_SHARE)
  }
}

const THIS_PROCESS: ProcessMemory = {
  residentBytes,
  ownBytes,
  collect: () => Bun.gc(true),
  releasePages,
  nowMs: () => performance.now(),
}

/**
 * Private memory in bytes: resident pages that are not shared (proc_pid_statm(5)). Assumes pages of 4 KiB; with
 * larger pages the result is too small and a collection comes later.
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

function releasePages(): void {
  Promise.all([loadReleasePages(), loadWorkerPool()])
    .then(([pages, pool]) => {
      // While the index is being written nothing is released here; the next pause does it.
      if (!pool.isAnyWorking()) pages.releasePages()
    })
    .catch((error: unknown) => log.warn("cannot release pages", { message: String(error) }))
}
