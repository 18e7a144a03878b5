import { firstNot } from "../../base/sorted.ts"
import { maxBytesOf } from "../../text/files/read-source.ts"
import { RULE_FILES } from "../scan/scan-folder.ts"
import type { ScannedFile, ScannedFolder, ScanResult } from "../scan/scan-result.ts"
import { isRacy, optionsKey, type ScanOptions } from "../scan/scan-result.ts"
import {
  absolute,
  compare,
  folderOf,
  folderTime,
  gainedRules,
  type Rescan,
  rescanFolders,
  statAt,
} from "./rescan.ts"

/**
 * Checks only these paths, relative to the root, for changes since the scan `last`. The paths are hints: the result
 * reports only what differs from `last`, for example no file that was created and deleted again. Null when only a full
 * scan can tell what changed.
 */
export function rescanPaths(
  root: string,
  last: ScanResult,
  options: ScanOptions,
  paths: ReadonlySet<string>,
  nowMs: number = Date.now(),
): Rescan | null {
  if (last.options !== optionsKey(options) || touchesRules(root, last, paths)) return null
  const near = new PathRescan(root, last, options)
  for (const path of paths) near.visit(path)
  const { dirty, seen } = near
  const folders = last.folders.filter(({ path }) => dirty.has(path))
  if (folders.some((folder) => gainedRules(root, folder))) return null
  if (dirty.size > 0 && (last.skipped["over the limit"] ?? 0) > 0) return null
  // The new scan keeps the start time of the last full scan, because that time shows which other files must be compared
  // by content.
  const scan =
    dirty.size === 0
      ? seen
      : { ...rescanFolders(root, seen, dirty, options, nowMs), startedAtMs: last.startedAtMs }
  return compare(last, scan, ({ path }) => near.suspects.has(path))
}

function touchesRules(root: string, { rules }: ScanResult, paths: ReadonlySet<string>): boolean {
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf("/") + 1)
    if (name === ".git" || RULE_FILES.includes(name)) return true
  }
  return rules.some((rule) => rule.path.startsWith(`${root}/`) && paths.has(rule.path.slice(root.length + 1)))
}

class PathRescan {
  /** Folders that must be read again. */
  readonly dirty = new Set<string>()
  /**
   * Files whose size and time are unchanged but whose content may have changed, because an event named them or their
   * time is too close to the scan. Only reading them can tell.
   */
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

  /** The last scan, with the current size and time of the visited files. */
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
      if (!found || found.size <= maxBytesOf(path, this.#options.maxFileBytes))
        this.#markDirty(folderOf(path))
      return
    }
    const parent = folders[indexOf(folders, folderOf(path))]
    if (parent === undefined) return
    // A skipped file stays skipped, and counted, as long as no entry was added to its folder or removed from it.
    const now = folderTime(absolute(this.#root, parent.path))
    if (now !== parent.mtimeMs || isRacy(now, startedAtMs)) this.#markDirty(parent.path)
  }

  /** Marks a folder to be read again; if it no longer exists, its nearest existing parent. */
  #markDirty(folder: string): void {
    let path = folder
    while (path !== "" && folderTime(absolute(this.#root, path)) < 0) path = folderOf(path)
    this.dirty.add(path)
  }

  #visitFile(at: number, isNamed: boolean): void {
    const { path, size, mtimeMs } = this.#last.files[at]!
    const found = statAt(absolute(this.#root, path))
    if (!found?.isFile() || found.size > maxBytesOf(path, this.#options.maxFileBytes)) {
      this.#markDirty(folderOf(path))
    } else if (found.size !== size || found.mtimeMs !== mtimeMs) {
      this.#files ??= this.#last.files.slice()
      this.#files[at] = { ...this.#last.files[at]!, size: found.size, mtimeMs: found.mtimeMs }
    } else if (isNamed || isRacy(mtimeMs, this.#last.startedAtMs)) {
      this.suspects.add(path)
    }
  }

  /**
   * Checks a folder and the files directly in it. Its time alone does not suffice, because another folder with the same
   * time may have taken its place.
   */
  #visitFolder({ path }: ScannedFolder): void {
    this.#markDirty(path)
    const { files } = this.#last
    const prefix = path === "" ? "" : `${path}/`
    for (let at = firstFrom(files, prefix); files[at]?.path.startsWith(prefix); at++) {
      if (folderOf(files[at]!.path) === path) this.#visitFile(at, false)
    }
  }
}

type SortedByPath = readonly { readonly path: string }[]

function indexOf(items: SortedByPath, path: string): number {
  const at = firstFrom(items, path)
  return items[at]?.path === path ? at : -1
}

/** Index of the first item whose path is `path` or comes after it. The lists of a scan are sorted by path. */
function firstFrom(items: SortedByPath, path: string): number {
  return firstNot(0, items.length, (i) => items[i]!.path < path)
}
