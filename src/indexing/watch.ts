import { GatheredHints, type Hints } from "./hints.ts"
import type { ScanResult } from "./scan-result.ts"
import { Debounce } from "./watch-debounce.ts"
import { FolderWatch } from "./watch-folders.ts"

export type WatchOptions = {
  readonly root: string
  readonly debounceMs: number
  /** The first of several changes was heard. */
  readonly onHeard: () => void
  /** They are over: take them and look. */
  readonly onDue: () => void
  /** From now on it looks again and again instead. */
  readonly onPolling: (reason: string) => void
}

const POLL_MS = 5_000
// So that looking takes a fiftieth of the time at most.
const POLL_SHARE = 50

/** Tells when to look at a project again, and where. */
export class Watch implements Disposable {
  readonly #options: WatchOptions
  readonly #debounce: Debounce
  readonly #hints = new GatheredHints()
  readonly #folders: FolderWatch
  #timer: ReturnType<typeof setTimeout> | null = null
  #followed: Pick<ScanResult, "folders" | "rules"> | null = null
  #notBeforeMs = 0
  #pollMs = POLL_MS
  #blindness: string | null = null

  constructor(options: WatchOptions, isRecursive?: boolean) {
    this.#options = options
    this.#debounce = new Debounce(options.debounceMs)
    const heard = {
      onPath: (path: string) => this.#hear(path),
      onLost: () => this.#hear(null),
      onBlind: (reason: string) => this.#poll(reason),
    }
    this.#folders = new FolderWatch(options.root, heard, isRecursive)
  }

  /** After a look: listens where it found folders. What happened there before will be looked at soon. */
  async follow(scan: ScanResult): Promise<void> {
    if (this.#blindness !== null) return
    const isFirst = this.#followed === null
    this.#followed = scan
    const rules = scan.rules.map(({ path }) => path)
    const unheard = await this.#folders.follow(
      scan.folders.map(({ path }) => path),
      rules,
    )
    if (isFirst) this.#hear(null)
    else for (const folder of unheard) this.#hear(folder)
  }

  /** What was heard since the last time, to be looked at now. */
  take(): Hints {
    this.#debounce.clear()
    return this.#hints.take()
  }

  /** A look is done that took so long: the next comes when something is due, and not at once after a long one. */
  rest(lookMs: number, share: number): void {
    this.#pollMs = Math.max(POLL_MS, POLL_SHARE * lookMs)
    this.#notBeforeMs = performance.now() + Math.min(POLL_MS, share * lookMs)
    this.#arm()
  }

  /** Milliseconds until the next look; null where none is due. */
  get dueInMs(): number | null {
    const { dueMs } = this.#debounce
    return dueMs === null ? null : Math.max(0, Math.max(dueMs, this.#notBeforeMs) - performance.now())
  }

  /** Paths that wait for a look; null: any. */
  get waiting(): number | null {
    return this.#hints.size
  }

  /** Why it looks again and again; null where the system tells. */
  get blindness(): string | null {
    return this.#blindness
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#folders.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #hear(path: string | null): void {
    if (path === null) this.#hints.addEverything()
    else this.#hints.add(path)
    if (this.#debounce.dueMs === null) this.#options.onHeard()
    this.#debounce.note(performance.now())
    if (this.#timer === null) this.#arm()
  }

  /** A timer that finds more to wait for is set again: an event costs no timer of its own. */
  #arm(): void {
    const dueInMs = this.dueInMs
    if (dueInMs === null) {
      if (this.#blindness !== null) this.#wait(this.#pollMs)
    } else if (dueInMs > 0) this.#wait(dueInMs)
    else this.#options.onDue()
  }

  #wait(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = null
      if (this.dueInMs === null && this.#blindness !== null) this.#hear(null)
      else this.#arm()
    }, ms)
    this.#timer.unref()
  }

  #poll(reason: string): void {
    this.#blindness = reason
    this.#options.onPolling(reason)
    this.#arm()
  }
}
