import { mostBytes } from "../text/notebook-file.ts"
import {
  absolute,
  compare,
  folderOf,
  folderTime,
  gainedRules,
  type Rescan,
  readAgain,
  statAt,
} from "./rescan.ts"
import { RULE_FILES } from "./scan-folder.ts"
import { isRacy } from "./scan-grain.ts"
import { optionsKey, type ScanOptions } from "./scan-options.ts"
import type { ScannedFile, ScannedFolder, ScanResult } from "./scan-result.ts"

/**
 * What became of these paths since `last`, relative to the root; nothing else is looked at. They are hints, and what
 * is on disk decides: a file made and removed since is nothing, one removed and made again has changed. Null where
 * only a look at everything can tell.
 */
export function lookNear(
  root: string,
  last: ScanResult,
  options: ScanOptions,
  paths: ReadonlySet<string>,
  nowMs: number = Date.now(),
): Rescan | null {
  if (last.options !== optionsKey(options) || touchesRules(root, last, paths)) return null
  const near = new Near(root, last, options)
  for (const path of paths) near.visit(path)
  const { dirty, seen } = near
  const folders = last.folders.filter(({ path }) => dirty.has(path))
  if (folders.some((folder) => gainedRules(root, folder))) return null
  if (dirty.size > 0 && (last.skipped["over the limit"] ?? 0) > 0) return null
  // The time of the last look at everything stays: it tells which of the other files only their content can tell.
  const scan =
    dirty.size === 0
      ? seen
      : { ...readAgain(root, seen, dirty, options, nowMs), startedAtMs: last.startedAtMs }
  return compare(last, scan, ({ path }) => near.suspects.has(path))
}

function touchesRules(root: string, { rules }: ScanResult, paths: ReadonlySet<string>): boolean {
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf("/") + 1)
    if (name === ".git" || RULE_FILES.includes(name)) return true
  }
  return rules.some((rule) => rule.path.startsWith(`${root}/`) && paths.has(rule.path.slice(root.length + 1)))
}

class Near {
  /** Folders to be read again. */
  readonly dirty = new Set<string>()
  /** Files whose size and time are what they were, which says nothing of one that somebody wrote to. */
  readonly suspects = new Set<string>()
  readonly #root: string
  readonly #last: ScanResult
  readonly #options: ScanOptions
  #files: ScannedFile[] | null = null

  constructor(root: string, last: ScanResult, options: ScanOptions) {
    this.#root = root
    this.#last = last
    this.#options = options
  }

  /** The last scan with the files visited as they are now. */
  get seen(): ScanResult {
    return { ...this.#last, files: this.#files ?? this.#last.files }
  }

  visit(path: string): void {
    const { files, folders, tooLarge, startedAtMs } = this.#last
    const file = indexOf(files, path)
    if (file >= 0) this.#visitFile(file, true)
    const folder = indexOf(folders, path)
    if (folder >= 0) this.#visitFolder(folders[folder]!)
    if (file >= 0 || folder >= 0) return
    const found = statAt(absolute(this.#root, path))
    if (indexOf(tooLarge, path) >= 0) {
      if (!found || found.size <= mostBytes(path, this.#options.maxFileBytes)) this.#readAgain(folderOf(path))
      return
    }
    const parent = folders[indexOf(folders, folderOf(path))]
    if (parent === undefined) return
    // A file that was left out when its folder was read is left out, and counted, while nothing came or went there.
    const now = folderTime(absolute(this.#root, parent.path))
    if (now !== parent.mtimeMs || isRacy(now, startedAtMs)) this.#readAgain(parent.path)
  }

  /** Where a folder is gone, the one that held it tells. */
  #readAgain(folder: string): void {
    let path = folder
    while (path !== "" && folderTime(absolute(this.#root, path)) < 0) path = folderOf(path)
    this.dirty.add(path)
  }

  #visitFile(at: number, isNamed: boolean): void {
    const { path, size, mtimeMs } = this.#last.files[at]!
    const found = statAt(absolute(this.#root, path))
    if (!found?.isFile() || found.size > mostBytes(path, this.#options.maxFileBytes)) {
      this.#readAgain(folderOf(path))
    } else if (found.size !== size || found.mtimeMs !== mtimeMs) {
      this.#files ??= this.#last.files.slice()
      this.#files[at] = { ...this.#last.files[at]!, size: found.size, mtimeMs: found.mtimeMs }
    } else if (isNamed || isRacy(mtimeMs, this.#last.startedAtMs)) {
      this.suspects.add(path)
    }
  }

  /** With the files that lie right in it. Another may stand in its place, whatever its time. */
  #visitFolder({ path }: ScannedFolder): void {
    this.#readAgain(path)
    const { files } = this.#last
    const prefix = path === "" ? "" : `${path}/`
    for (let at = firstFrom(files, prefix); files[at]?.path.startsWith(prefix); at++) {
      if (folderOf(files[at]!.path) === path) this.#visitFile(at, false)
    }
  }
}

type Sorted = readonly { readonly path: string }[]

function indexOf(items: Sorted, path: string): number {
  const at = firstFrom(items, path)
  return items[at]?.path === path ? at : -1
}

/** Lists of a scan are in the order of their paths. */
function firstFrom(items: Sorted, path: string): number {
  let from = 0
  let to = items.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (items[middle]!.path < path) from = middle + 1
    else to = middle
  }
  return from
}
