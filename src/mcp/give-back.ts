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
 * What the answers left behind goes, some 25 ms of work: the engine takes mapped files for its own, and would let as much
 * garbage lie as they are large.
 */
export function giveBackUnused(): void {
  Bun.gc(true)
  giveBackPages()
}

/** Where a busy server's own code makes a difference: below there is no need, above it is a small part. */
const FEW_BYTES = 88e6
const MANY_BYTES = 200e6
/** What runs all the time is mapped again, which takes about a millisecond. */
const APART_MS = 250

/** Of a server that is asked without a pause: from time to time the code goes that only its start needed. */
export class Relief {
  #lastMs = Number.NEGATIVE_INFINITY

  relieve(nowMs: number): void {
    if (nowMs - this.#lastMs < APART_MS) return
    this.#lastMs = nowMs
    const bytes = process.memoryUsage.rss()
    if (bytes > FEW_BYTES && bytes < MANY_BYTES) giveBackPages(isOfProgram)
  }
}

function isOfProgram(path: string): boolean {
  return path === process.execPath
}

function giveBackPages(isMeant?: (path: string) => boolean): void {
  Promise.all([import("../store/give-back-pages.ts"), import("../indexing/worker-pool.ts")])
    .then(([pages, pool]) => {
      // While the index is being written the next pause does.
      if (!pool.isAnyWorking()) pages.giveBackPages(isMeant)
    })
    .catch((error: unknown) => log.warn("cannot give back pages", { message: String(error) }))
}
