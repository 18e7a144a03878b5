import { existsSync, type FSWatcher, watch } from "node:fs"
import { dirname, join, relative } from "node:path"
import { messageOf, toPosix } from "../../base/index.ts"
import type { ScanResult } from "../../tree/index.ts"
import { folderOf } from "../changes/detect-changes.ts"

type WatchOptions = {
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

type WatchEvents = {
  /** Called for an event. The path is relative to the root, with "/" as separator. */
  readonly onPath: (path: string) => void
  /** Called when any file may have changed: events were lost, or a rule file outside the root changed. */
  readonly onLost: () => void
  /** Called when watching has failed and no more events will come. `reason` is a text for users. */
  readonly onWatchFailure: (reason: string) => void
}

// Number of folders that are watched before other work gets a turn. Watching ten thousand folders takes 0.2 s.
const FOLDERS_AT_ONCE = 250

/**
 * Watches the folders of a project. On Linux, where each folder needs its own watch, only folders that belong to the
 * project are watched, so that dependencies and git's own folders cost nothing. On other systems, one watch covers the
 * whole tree.
 */
export class FolderWatch implements Disposable {
  readonly #root: string
  readonly #events: WatchEvents
  readonly #isRecursive: boolean
  /** Watchers by path relative to the root. Watchers of rule files outside the root are stored by absolute path. */
  readonly #watchers = new Map<string, FSWatcher>()
  /**
   * Watched folders that were themselves named by an event. The next call of `follow` closes their watches and opens
   * new ones, because another folder may have taken their place.
   */
  readonly #named = new Set<string>()
  #known: ReadonlySet<string> = new Set()
  #rules: ReadonlySet<string> = new Set()
  #isClosed = false

  constructor(root: string, events: WatchEvents, isRecursive: boolean = process.platform !== "linux") {
    this.#root = root
    this.#events = events
    this.#isRecursive = isRecursive
  }

  /**
   * Watches exactly these folders (relative to the root) and these files (absolute). Returns the folders that were not
   * watched before, because events in them may have been missed.
   */
  async follow(folders: readonly string[], rules: readonly string[]): Promise<string[]> {
    const last = this.#isRecursive ? this.#known : this.#watchers
    this.#known = new Set(folders)
    const outside = rules.filter((rule) => !this.#hears(rule))
    this.#rules = new Set(outside)
    const places = new Set(outside.map(dirname).filter(existsSync))
    const wanted = this.#isRecursive ? [""] : folders
    this.#closeOthers(new Set([...wanted, ...places]))
    const unwatched = folders.filter((folder) => !last.has(folder))
    for (const place of places) this.#listen(place, place, (name) => this.#atRule(join(place, name)))
    for (let at = 0; at < wanted.length && !this.#isClosed; at++) {
      if (at % FOLDERS_AT_ONCE === FOLDERS_AT_ONCE - 1) await new Promise(setImmediate)
      this.#follow(wanted[at]!)
    }
    return unwatched
  }

  close(): void {
    this.#isClosed = true
    for (const path of [...this.#watchers.keys()]) this.#drop(path)
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #follow(folder: string): void {
    this.#listen(folder, join(this.#root, folder), (name) => {
      const path = folder === "" ? toPosix(name) : `${folder}/${toPosix(name)}`
      if (!this.#isRecursive && this.#watchers.has(path)) this.#named.add(path)
      if (!this.#isRecursive || this.#known.has(folderOf(path)) || this.#known.has(path))
        this.#events.onPath(path)
      else this.#atRule(join(this.#root, path))
    })
  }

  #atRule(path: string): void {
    if (this.#rules.has(path)) this.#events.onLost()
  }

  #listen(key: string, path: string, onName: (name: string) => void): void {
    if (this.#isClosed || this.#watchers.has(key)) return
    try {
      const options = { persistent: false, recursive: this.#isRecursive && key === "" }
      const watcher = watch(path, options, (_, name) => {
        if (this.#watchers.get(key) !== watcher) return
        if (name === null) this.#events.onLost()
        else onName(name)
      })
      this.#watchers.set(key, watcher)
      watcher.on("error", (error) => this.#fail(error))
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    const code = error instanceof Error && "code" in error ? String(error.code) : ""
    // The folder vanished before it could be watched. The watch on its parent reports that.
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES" || code === "EPERM") return
    if (this.#isClosed) return
    this.close()
    this.#events.onWatchFailure(watchFailureReason(code, error))
  }

  /**
   * Closes the watches of folders that are no longer wanted or were moved, including those of folders below them. A
   * watch must be closed when its folder is moved, because it stays with the moved folder.
   */
  #closeOthers(wanted: ReadonlySet<string>): void {
    for (const path of [...this.#watchers.keys()]) {
      if (!wanted.has(path) || this.#wasNamed(path)) this.#drop(path)
    }
    this.#named.clear()
  }

  #wasNamed(path: string): boolean {
    if (this.#named.size === 0) return false
    for (let at = path; at !== ""; at = folderOf(at)) if (this.#named.has(at)) return true
    return false
  }

  #drop(path: string): void {
    this.#watchers.get(path)?.close()
    this.#watchers.delete(path)
  }

  /** True when changes of a file are reported because its folder is watched. */
  #hears(path: string): boolean {
    return this.#known.has(folderOf(toPosix(relative(this.#root, path))))
  }
}

function watchFailureReason(code: string, error: unknown): string {
  if (code === "ENOSPC")
    return "the system's limit for watched folders is reached (fs.inotify.max_user_watches)"
  if (code === "EMFILE")
    return "the system's limit for watching programs is reached (fs.inotify.max_user_instances)"
  return messageOf(error)
}

/**
 * Paths, relative to the root, of files that may have changed, or "everything". Hints are not certain: only reading a
 * file shows whether it has changed.
 */
export type Hints = ReadonlySet<string> | "everything"

// With more paths than this, a full scan is faster than checking the paths one by one.
const MAX_PATHS = 500

/** Collects the paths of file events until the next scan. Several events for one path count once. */
export class GatheredHints {
  #paths = new Set<string>()
  #isEverything = false

  add(path: string): void {
    if (this.#isEverything) return
    this.#paths.add(path)
    if (this.#paths.size > MAX_PATHS) this.addEverything()
  }

  addEverything(): void {
    this.#isEverything = true
    this.#paths.clear()
  }

  /** Number of collected paths; null when any file may have changed. */
  get size(): number | null {
    return this.#isEverything ? null : this.#paths.size
  }

  take(): Hints {
    const taken = this.#isEverything ? "everything" : this.#paths
    this.#paths = new Set()
    this.#isEverything = false
    return taken
  }
}
