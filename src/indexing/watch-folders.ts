import { existsSync, type FSWatcher, watch } from "node:fs"
import { dirname, join, relative } from "node:path"
import { toPosix } from "../base/paths.ts"

export type Heard = {
  /** Something happened to this path, relative to the root with "/". */
  readonly onPath: (path: string) => void
  /** It may have happened anywhere: events were lost, or a rule changed that lies outside. */
  readonly onLost: () => void
  /** There will be no more events; a reason that a person understands. */
  readonly onBlind: (reason: string) => void
}

// Ten thousand folders take .2 s; other work comes in between.
const FOLDERS_AT_ONCE = 250

/**
 * Listens to the folders of a project. Where the system watches one by one (Linux), only those that belong to it,
 * so that dependencies and git's own cost nothing; elsewhere its whole tree by a single watch.
 */
export class FolderWatch implements Disposable {
  readonly #root: string
  readonly #heard: Heard
  readonly #isRecursive: boolean
  /** By path relative to the root; those of rules outside by their absolute one. */
  readonly #watchers = new Map<string, FSWatcher>()
  /** Folders that were named by an event: another may stand in their place now. */
  readonly #named = new Set<string>()
  #known: ReadonlySet<string> = new Set()
  #rules: ReadonlySet<string> = new Set()
  #isClosed = false

  constructor(root: string, heard: Heard, isRecursive: boolean = process.platform !== "linux") {
    this.#root = root
    this.#heard = heard
    this.#isRecursive = isRecursive
  }

  /**
   * Listens to these folders, relative to the root, and to these files, absolute; to none else. The folders that it
   * did not listen to before are the answer: what happened in them meanwhile nobody has heard.
   */
  async follow(folders: readonly string[], rules: readonly string[]): Promise<string[]> {
    const last = this.#isRecursive ? this.#known : this.#watchers
    this.#known = new Set(folders)
    const outside = rules.filter((rule) => !this.#hears(rule))
    this.#rules = new Set(outside)
    const places = new Set(outside.map(dirname).filter(existsSync))
    const wanted = this.#isRecursive ? [""] : folders
    this.#closeOthers(new Set([...wanted, ...places]))
    const unheard = folders.filter((folder) => !last.has(folder))
    for (const place of places) this.#listen(place, place, (name) => this.#atRule(join(place, name)))
    for (let at = 0; at < wanted.length && !this.#isClosed; at++) {
      if (at % FOLDERS_AT_ONCE === FOLDERS_AT_ONCE - 1) await new Promise(setImmediate)
      this.#follow(wanted[at]!)
    }
    return unheard
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
      if (!this.#isRecursive || this.#known.has(parentOf(path)) || this.#known.has(path))
        this.#heard.onPath(path)
      else this.#atRule(join(this.#root, path))
    })
  }

  #atRule(path: string): void {
    if (this.#rules.has(path)) this.#heard.onLost()
  }

  #listen(key: string, path: string, onName: (name: string) => void): void {
    if (this.#isClosed || this.#watchers.has(key)) return
    try {
      const options = { persistent: false, recursive: this.#isRecursive && key === "" }
      const watcher = watch(path, options, (_, name) => {
        if (this.#watchers.get(key) !== watcher) return
        if (name === null) this.#heard.onLost()
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
    // It went before it could be watched: whoever holds it tells.
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES" || code === "EPERM") return
    if (this.#isClosed) return
    this.close()
    this.#heard.onBlind(reasonOf(code, error))
  }

  /** A folder that was moved is followed by its watch, with all below it: they start anew. */
  #closeOthers(wanted: ReadonlySet<string>): void {
    for (const path of [...this.#watchers.keys()]) {
      if (!wanted.has(path) || this.#wasNamed(path)) this.#drop(path)
    }
    this.#named.clear()
  }

  #wasNamed(path: string): boolean {
    if (this.#named.size === 0) return false
    for (let at = path; at !== ""; at = parentOf(at)) if (this.#named.has(at)) return true
    return false
  }

  #drop(path: string): void {
    this.#watchers.get(path)?.close()
    this.#watchers.delete(path)
  }

  /** Whether a file's changes are heard of because its folder is watched. */
  #hears(path: string): boolean {
    return this.#known.has(parentOf(toPosix(relative(this.#root, path))))
  }
}

function reasonOf(code: string, error: unknown): string {
  if (code === "ENOSPC")
    return "the system's limit of watched folders is reached (fs.inotify.max_user_watches)"
  if (code === "EMFILE")
    return "the system's limit of watching programs is reached (fs.inotify.max_user_instances)"
  return error instanceof Error ? error.message : String(error)
}

function parentOf(path: string): string {
  const slash = path.lastIndexOf("/")
  return slash < 0 ? "" : path.slice(0, slash)
}
