import { residentBytes } from "../../base/index.ts"
import { LARGE_BYTES } from "../../tree/index.ts"

/** Limits of resident memory in bytes at which an index run does less. They are derived from the memory limit. */
export type MemoryPlan = {
  /** Above this, no work is started while other work is in progress. */
  readonly startBytes: number
  /** Above this, a thread ends its batch after the file that it is parsing. */
  readonly pauseBytes: number
  /**
   * Above this, the parsing threads are ended. The file that took so much memory is then read again alone, or skipped.
   */
  readonly endBytes: number
  /** Maximum WebAssembly memory of one parsing thread. */
  readonly maxParserBytes: number
}

// The limits as shares of the memory limit. They leave room, because the process can grow further until a thread has
// ended; in measurements by up to 26 MB.
const START_SHARE = 0.7
const PAUSE_SHARE = 0.75
const END_SHARE = 0.85

// More memory than this speeds nothing up, whatever the limit allows: indexing 5,000 files takes as long with a total
// of 375 MB as with 467.
const MAX_BASE_BYTES = 175_000_000
const MAX_BYTES_PER_WORKER = 100_000_000
const START_SHARE_OF_MAX = 0.85

/** Memory of a process besides the WebAssembly memory of its parsers: program, libraries, databases, one thread. */
const PROCESS_BYTES = 120_000_000
/** Minimum WebAssembly memory of a parser. With less, it could not start (32 MiB) or could not parse ordinary files. */
const MIN_PARSER_BYTES = 48 << 20
/**
 * Maximum WebAssembly memory of a parser, for the largest file that is parsed by default. Ordinary files may take less
 * (`withSyntaxTree`).
 */
const MAX_PARSER_BYTES = 512 << 20

/**
 * Computes the limits with which an index run with this many parsing threads stays below the memory limit of the
 * process.
 */
export function memoryPlan(limitBytes: number, workers: number): MemoryPlan {
  const usefulBytes = MAX_BASE_BYTES + workers * MAX_BYTES_PER_WORKER
  return {
    startBytes: Math.min(limitBytes * START_SHARE, usefulBytes * START_SHARE_OF_MAX),
    pauseBytes: limitBytes * PAUSE_SHARE,
    endBytes: limitBytes * END_SHARE,
    maxParserBytes: Math.min(
      MAX_PARSER_BYTES,
      Math.max(MIN_PARSER_BYTES, limitBytes * END_SHARE - PROCESS_BYTES),
    ),
  }
}

/** How many times the work limits of an ordinary file hold for a file of this size: at least once. */
export function timesLarge(bytes: number): number {
  return Math.max(1, bytes / (2 * LARGE_BYTES))
}

/** Minimum memory in bytes for building a graph. A graph that needs less has too few rows to be useful. */
const MIN_LEFT_BYTES = 32 << 20

/** Memory in bytes that further work may take within the memory limit of the process. */
export function bytesLeft(limitBytes: number): number {
  return Math.max(MIN_LEFT_BYTES, limitBytes * END_SHARE - residentBytes())
}

/** Memory of a parsing thread that reads a file of 1 MiB without its syntax. */
const THREAD_BYTES = 70_000_000

/** The smallest memory limit in bytes under which this process could parse files, given what it uses now. */
export function leastLimitBytes(): number {
  return (residentBytes() + THREAD_BYTES) / END_SHARE
}

/** Time in ms between two comparisons of resident memory with the limit. Reading the value takes some 20 µs. */
const WATCH_MS = 10

/** Calls `onExceeded` whenever the process is above `endBytes`, until disposed. */
export function watchMemory(endBytes: number, onExceeded: () => void): Disposable {
  const timer = setInterval(() => {
    if (residentBytes() > endBytes) onExceeded()
  }, WATCH_MS)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/**
 * Settings of `memoryReturned`: time in ms between two measurements of resident memory, maximum number of measurements,
 * and the decrease in bytes between two of them below which all released memory counts as returned to the system.
 */
const RELEASE_STEP_MS = 20
const RELEASED_BYTES = 1_000_000

/**
 * Waits until resident memory no longer decreases, but at most half a second. The memory of ended threads is released
 * only some milliseconds after their end.
 */
export async function memoryReturned(): Promise<void> {
  let before = Number.POSITIVE_INFINITY
  for (let step = 0; step < 25; step++) {
    const now = residentBytes()
    if (before - now < RELEASED_BYTES) return
    before = now
    await Bun.sleep(RELEASE_STEP_MS)
  }
}
