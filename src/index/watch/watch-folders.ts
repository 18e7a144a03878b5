import { existsSync, type FSWatcher, watch } from "node:fs"
import { dirname, join, relative } from "node:path"
import { messageOf } from "../../base/errors.ts"
import { toPosix } from "../../base/paths.ts"
import { folderOf } from "../changes/rescan.ts"

export type WatchEvents = {
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
