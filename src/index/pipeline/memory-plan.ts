import { residentBytes } from "../../base/process/memory.ts"

/** Resident memory of the process in bytes at which an index run does less; derived from the memory limit. */
export type MemoryPlan = {
  /** While the process takes more than this, no work starts beside work in progress. */
  readonly startBytes: number
  /** While the process takes more than this, a thread ends its batch after the file that it is parsing. */
  readonly pauseBytes: number
  /**
   * If the process takes more than this, the parsing threads are ended. The file that needs so much memory is then read
   * alone, or skipped.
   */
  readonly endBytes: number
  /** Maximum WebAssembly memory of one parsing thread. */
  readonly maxParserBytes: number
}

// Shares of the memory limit. They leave room because the process can grow further until a thread has ended, in
// measurements by up to 26 MB.
const START_SHARE = 0.7
const PAUSE_SHARE = 0.75
const END_SHARE = 0.85

// More memory makes nothing faster, whatever the limit allows: 5,000 files take as long with 375 MB in all as
// with 467.
const MAX_BASE_BYTES = 175_000_000
const MAX_BYTES_PER_WORKER = 100_000_000
const START_SHARE_OF_MAX = 0.85

/** What a process needs beside its parsers' WebAssembly memory: program, libraries, databases, one thread. */
const PROCESS_BYTES = 120_000_000
/** Minimum WebAssembly memory of a parser: with less it could not start (32 MiB), or parse ordinary files. */
const MIN_PARSER_BYTES = 48 << 20
/**
 * Maximum WebAssembly memory of a parser. A megabyte of source takes 40 to 80 MB. On text in another language, the
 * parser follows so many alternatives that it would take gigabytes.
 */
const MAX_PARSER_BYTES = 256 << 20

/** How an index run with this many parsing threads stays below the memory limit of the process. */
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

/** Minimum memory in bytes for building a graph: a graph that fits into less has too few rows to be of use. */
const MIN_LEFT_BYTES = 32 << 20

/** Memory in bytes that one more piece of work may take within the limit of the process. */
export function bytesLeft(limitBytes: number): number {
  return Math.max(MIN_LEFT_BYTES, limitBytes * END_SHARE - residentBytes())
}

/** Memory of a parsing thread with a file of 1 MiB that is read without its syntax. */
const THREAD_BYTES = 70_000_000

/** The least memory limit in bytes under which this process could parse files beside what it holds now. */
export function leastLimitBytes(): number {
  return (residentBytes() + THREAD_BYTES) / END_SHARE
}

/** How often resident memory is compared with the limit: reading it takes some 20 µs. */
const WATCH_MS = 10

/** Calls `onExceeded` whenever the process is above `endBytes`, until disposed. */
export function watchMemory(endBytes: number, onExceeded: () => void): Disposable {
  const timer = setInterval(() => {
    if (residentBytes() > endBytes) onExceeded()
  }, WATCH_MS)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/**
 * Time in ms between two checks of whether released memory has returned to the system, and the drop in bytes below
 * which it has all returned.
 */
const RELEASE_STEP_MS = 20
const MAX_RELEASE_STEPS = 25
const RELEASED_BYTES = 1_000_000

/**
 * Waits until resident memory no longer falls, because the memory of ended threads is released some milliseconds later.
 */
export async function memoryReturned(): Promise<void> {
  let before = Number.POSITIVE_INFINITY
  for (let step = 0; step < MAX_RELEASE_STEPS; step++) {
    const now = residentBytes()
    if (before - now < RELEASED_BYTES) return
    before = now
    await Bun.sleep(RELEASE_STEP_MS)
  }
}
