import { lstatSync, type Stats } from "node:fs"
import { workTreeAt } from "../../git/work-tree.ts"
import { maxBytesOf } from "../../text/files/read-source.ts"
import { RULE_FILES, readFolder, scanProject, walkFrom } from "../scan/scan-folder.ts"
import type { ScannedFile, ScannedFolder, ScanResult } from "../scan/scan-result.ts"
import { isRacy, optionsKey, type ScanOptions } from "../scan/scan-result.ts"
import type { PackedScan } from "../scan/scan-snapshot.ts"
import { finishWalk, startWalk, type UnchangedFolder, watch } from "../scan/scan-walk.ts"
import type { StatDifferences } from "./stat-differences.ts"

export type Rescan = {
  /** The current state of the project, equal to the result of a full scan. */
  readonly scan: ScanResult
  /**
   * Files that are new; whose size, time or `.gitattributes` flags differ; or that were modified so close to the last
   * scan that only their content can tell.
   */
  readonly changed: readonly ScannedFile[]
  /** Paths that no longer exist, or that are skipped now. */
  readonly removed: readonly string[]
}

/** True when nothing in the project has changed since `last`, so that another scan would give the same result. */
export function isUnchanged(
  root: string,
  last: PackedScan,
  differing: StatDifferences | null,
  options: ScanOptions,
): boolean {
  if (differing === null || differing.files.length + differing.folders.length > 0) return false
  return last.tooLarge.every(({ path }) => isTooLarge(root, path, options)) && !rulesDiffer(last, options)
}

function isTooLarge(root: string, path: string, { maxFileBytes }: ScanOptions): boolean {
  const found = statAt(`${root}/${path}`)
  return found?.isFile() === true && found.size > maxBytesOf(path, maxFileBytes)
}

/**
 * Finds the changes of a project since the scan `last`. First checks size and time of every known file and folder,
 * which takes most of the time; if `differing` is given, only of those. Then reads the folders in which entries were
 * added or removed, or all folders when an ignore rule changed.
 */
export function rescan(
  root: string,
  last: ScanResult,
  options: ScanOptions,
  nowMs: number = Date.now(),
  differing: StatDifferences | null = null,
): Rescan {
  if (rulesDiffer(last, options)) return compare(last, scanProject(root, options, nowMs))
  const dirty = changedFolders(root, last, differing)
  if (last.folders.some((folder) => dirty.has(folder.path) && gainedRules(root, folder))) {
    return compare(last, scanProject(root, options, nowMs))
  }
  const files = refreshStats(root, last.files, dirty, differing?.files)
  const tooLarge = refreshStats(root, last.tooLarge, dirty)
  const isLarge = ({ path, size }: ScannedFile) => size > maxBytesOf(path, options.maxFileBytes)
  for (const file of tooLarge) if (!isLarge(file)) dirty.add(folderOf(file.path))
  for (const file of files) if (isLarge(file)) dirty.add(folderOf(file.path))
  const seen: ScanResult = { ...last, files, tooLarge, startedAtMs: nowMs }
  if (dirty.size === 0) return compare(last, seen)
  // If the last scan reached the limit of files, a folder may contain files that it did not list.
  const isCut = (last.skipped["over the limit"] ?? 0) > 0
  return compare(
    last,
    isCut ? scanProject(root, options, nowMs) : rescanFolders(root, seen, dirty, options, nowMs),
  )
}

/** Folders in which entries may have been added or removed. */
function changedFolders(
  root: string,
  { folders, startedAtMs }: ScanResult,
  differing: StatDifferences | null,
): Set<string> {
  const changed = new Set<string>()
  for (const i of differing?.folders ?? folders.keys()) {
    const { path, mtimeMs, skipped } = folders[i]!
    const now = folderTime(absolute(root, path))
    // A change of permissions inside a folder does not change the time of the folder.
    const wasUnreadable = (skipped.unreadable ?? 0) > 0
    if (now !== mtimeMs || wasUnreadable || isRacy(now, startedAtMs)) changed.add(path)
  }
  return changed
}

/**
 * Returns the files with their current size and time. If a path is no longer a file, its folder is added to `dirty`.
 */
function refreshStats(
  root: string,
  files: readonly ScannedFile[],
  dirty: Set<string>,
  positions?: readonly number[],
): readonly ScannedFile[] {
  let seen: ScannedFile[] | null = null
  for (const i of positions ?? files.keys()) {
    const { path, size, mtimeMs } = files[i]!
    const found = statAt(`${root}/${path}`)
    if (!found?.isFile()) dirty.add(folderOf(path))
    else if (found.size !== size || found.mtimeMs !== mtimeMs) {
      seen ??= files.slice()
      seen[i] = { ...files[i]!, size: found.size, mtimeMs: found.mtimeMs }
    }
  }
  return seen ?? files
}

/**
 * Scans again, but reads only the folders in `dirty` and new folders below them. The entries of other folders are taken
 * from `seen`, the last scan with current sizes and times.
 */
export function rescanFolders(
  root: string,
  seen: ScanResult,
  dirty: ReadonlySet<string>,
  options: ScanOptions,
  nowMs: number,
): ScanResult {
  const lastEntries = groupByFolder(seen)
  const { walk, top } = startWalk(root, options, nowMs, (path) =>
    dirty.has(path) ? undefined : lastEntries.get(path),
  )
  const listing = walk.unchanged?.("") ?? readFolder(walk, top)
  // The full scan throws an error that says why the root cannot be read.
  if (typeof listing === "string") return scanProject(root, options, nowMs)
  walkFrom(walk, top, listing)
  return finishWalk(walk)
}

type FolderEntries = UnchangedFolder & {
  readonly files: ScannedFile[]
  readonly tooLarge: ScannedFile[]
  readonly folders: string[]
}

function groupByFolder(scan: ScanResult): Map<string, FolderEntries> {
  const groups = new Map<string, FolderEntries>()
  for (const folder of scan.folders) groups.set(folder.path, { folder, files: [], tooLarge: [], folders: [] })
  for (const { path } of scan.folders) {
    if (path !== "") groups.get(folderOf(path))?.folders.push(path.slice(path.lastIndexOf("/") + 1))
  }
  for (const file of scan.files) groups.get(folderOf(file.path))?.files.push(file)
  for (const file of scan.tooLarge) groups.get(folderOf(file.path))?.tooLarge.push(file)
  return groups
}

/** Differences between two scans. A file with unchanged size and time counts as changed if `isSuspect` says so. */
export function compare(
  last: ScanResult,
  scan: ScanResult,
  isSuspect = (file: ScannedFile) => isRacy(file.mtimeMs, last.startedAtMs),
): Rescan {
  const changed: ScannedFile[] = []
  const removed: string[] = []
  // Both lists are in path order.
  let at = 0
  for (const file of scan.files) {
    while (at < last.files.length && last.files[at]!.path < file.path) removed.push(last.files[at++]!.path)
    const old = last.files[at]?.path === file.path ? last.files[at++]! : null
    const isSame =
      old?.size === file.size &&
      old.mtimeMs === file.mtimeMs &&
      old.attributeFlags === file.attributeFlags &&
      !isSuspect(old)
    if (!isSame) changed.push(file)
  }
  while (at < last.files.length) removed.push(last.files[at++]!.path)
  return { scan, changed, removed }
}

function rulesDiffer(
  { rules, options: made, startedAtMs }: Pick<ScanResult, "rules" | "options" | "startedAtMs">,
  options: ScanOptions,
): boolean {
  if (made !== optionsKey(options)) return true
  return rules.some(({ path, size, mtimeMs }) => !sameRule(path, size, mtimeMs, startedAtMs))
}

function sameRule(path: string, size: number, mtimeMs: number, startedAtMs: number): boolean {
  const now = watch(path)
  return now.size === size && now.mtimeMs === mtimeMs && !(size >= 0 && isRacy(mtimeMs, startedAtMs))
}

/**
 * True when a rule file or a repository has appeared in the folder. (Changes of known rule files are found by
 * `rulesDiffer`.)
 */
export function gainedRules(root: string, { path, hasRules, isRepository }: ScannedFolder): boolean {
  const folder = absolute(root, path)
  return (
    (!hasRules && RULE_FILES.some((name) => statAt(`${folder}/${name}`)?.isFile())) ||
    (!isRepository && workTreeAt(folder) !== null)
  )
}

export function folderTime(path: string): number {
  const found = statAt(path)
  return found?.isDirectory() ? found.mtimeMs : -1
}

export function statAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/")
  return slash < 0 ? "" : path.slice(0, slash)
}

export function absolute(root: string, path: string): string {
  return path === "" ? root : `${root}/${path}`
}
