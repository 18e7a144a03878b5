import { GatheredHints, type Hints } from "../changes/hints.ts"
import type { ScanResult } from "../scan/scan-result.ts"
import { FolderWatch } from "./watch-folders.ts"

export type WatchOptions = {
  readonly root: string
  readonly debounceMs: number
  /** Called at the first event of a burst of events. */
  readonly onBurst: () => void
  /** Called when a burst is over, so that its hints can be taken and scanned. */
  readonly onDue: () => void
  /** Called when watching has failed, so that changes are now found by polling. */
  readonly onPolling: (reason: string) => void
}

const POLL_MS = 5_000
// The pause between two polls is at least this many times the duration of the last scan, so that polling takes at most
// 1/50 of the time.
const POLL_SHARE = 50

/** Decides when a project must be checked again, and which paths. */
export class Watch implements Disposable {
  readonly #options: WatchOptions
  readonly #debounce: Debounce
  readonly #hints = new GatheredHints()
  readonly #folders: FolderWatch
  #timer: ReturnType<typeof setTimeout> | null = null
  #followed: Pick<ScanResult, "folders" | "rules"> | null = null
  #notBeforeMs = 0
  #pollMs = POLL_MS
  #watchFailure: string | null = null

  constructor(options: WatchOptions, isRecursive?: boolean) {
    this.#options = options
    this.#debounce = new Debounce(options.debounceMs)
    const events = {
      onPath: (path: string) => this.#noteEvent(path),
      onLost: () => this.#noteEvent(null),
      onWatchFailure: (reason: string) => this.#poll(reason),
    }
    this.#folders = new FolderWatch(options.root, events, isRecursive)
  }

  /**
   * Must be called after a scan. Watches the folders that the scan found. Folders that were not watched before become
   * hints.
   */
  async follow(scan: ScanResult): Promise<void> {
    if (this.#watchFailure !== null) return
    const isFirst = this.#followed === null
    this.#followed = scan
    const rules = scan.rules.map(({ path }) => path)
    const unwatched = await this.#folders.follow(
      scan.folders.map(({ path }) => path),
      rules,
    )
    if (isFirst) this.#noteEvent(null)
    else for (const folder of unwatched) this.#noteEvent(folder)
  }

  /** Returns the hints collected since the last call, and clears them. */
  take(): Hints {
    this.#debounce.clear()
    return this.#hints.take()
  }

  /**
   * Must be called after a scan, with its duration. The next scan starts when hints are due, but not before `factor`
   * times the duration of this scan has passed (at most POLL_MS), so that scans do not take most of the time.
   */
  rest(scanMs: number, factor: number): void {
    this.#pollMs = Math.max(POLL_MS, POLL_SHARE * scanMs)
    this.#notBeforeMs = performance.now() + Math.min(POLL_MS, factor * scanMs)
    this.#arm()
  }

  /** Milliseconds until the next scan is due; null if none is due. */
  get dueInMs(): number | null {
    const { dueMs } = this.#debounce
    return dueMs === null ? null : Math.max(0, Math.max(dueMs, this.#notBeforeMs) - performance.now())
  }

  /** Number of paths that wait for a scan; null when any file may have changed. */
  get waiting(): number | null {
    return this.#hints.size
  }

  /** Why changes are found by polling; null while the system reports events. */
  get watchFailure(): string | null {
    return this.#watchFailure
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#folders.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #noteEvent(path: string | null): void {
    if (path === null) this.#hints.addEverything()
    else this.#hints.add(path)
    if (this.#debounce.dueMs === null) this.#options.onBurst()
    this.#debounce.note(performance.now())
    if (this.#timer === null) this.#arm()
  }

  /**
   * Sets the timer for the next scan, or reports that a scan is due. Events during a burst do not move the timer; one
   * that fires before the burst is over is set again here.
   */
  #arm(): void {
    const dueInMs = this.dueInMs
    if (dueInMs === null) {
      if (this.#watchFailure !== null) this.#wait(this.#pollMs)
    } else if (dueInMs > 0) this.#wait(dueInMs)
    else this.#options.onDue()
  }

  #wait(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = null
      if (this.dueInMs === null && this.#watchFailure !== null) this.#noteEvent(null)
      else this.#arm()
    }, ms)
    this.#timer.unref()
  }

  #poll(reason: string): void {
    this.#watchFailure = reason
    this.#options.onPolling(reason)
    this.#arm()
  }
}

// After a single event, the scan waits for `longestMs` divided by this: 50 ms of 500 ms.
const LONE_SHARE = 10
// Maximum time from the first change to the scan, as a multiple of `longestMs` (10 s for 500 ms). Without it, changes
// that never stop would delay the scan for ever.
const MAX_WAITS = 20

/**
 * Decides when a burst of events is over. After a single event it waits a tenth of `longestMs`; the longer a burst has
 * lasted, the longer the pause must be that ends it. Times are in milliseconds of any one clock.
 */
export class Debounce {
  readonly #longestMs: number
  #firstMs: number | null = null
  #lastMs = 0

  constructor(longestMs: number) {
    this.#longestMs = longestMs
  }

  note(nowMs: number): void {
    this.#firstMs ??= nowMs
    this.#lastMs = nowMs
  }

  /** Time, on the caller's clock in milliseconds, at which the burst counts as over; null while there is no burst. */
  get dueMs(): number | null {
    if (this.#firstMs === null) return null
    const restMs = Math.max(this.#longestMs / LONE_SHARE, this.#lastMs - this.#firstMs)
    const over = this.#lastMs + Math.min(this.#longestMs, restMs)
    return Math.min(over, this.#firstMs + MAX_WAITS * this.#longestMs)
  }

  clear(): void {
    this.#firstMs = null
  }
}
