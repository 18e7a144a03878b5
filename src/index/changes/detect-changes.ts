import { type Pointer, ptr } from "bun:ffi"
import { accessSync, closeSync, constants, lstatSync, openSync, type Stats } from "node:fs"
import { join } from "node:path"
import { type Config, firstNot, openSystemLibrary } from "../../base/index.ts"
import { openStore, type Store } from "../../store/index.ts"
import {
  finishWalk,
  isRacy,
  isTooLarge,
  optionsKey,
  type PackedScan,
  packScan,
  RULE_FILES,
  readFolder,
  readPacked,
  type ScannedFile,
  type ScannedFolder,
  type ScanOptions,
  type ScanResult,
  scanOptionsOf,
  scanProject,
  startWalk,
  type UnchangedFolder,
  unpackScan,
  walkFrom,
  watch,
  workTreeAt,
} from "../../tree/index.ts"
import { indexPath } from "../index-folder.ts"
import { readState } from "../index-state.ts"
import type { ScanTask, WorkerPool } from "../pipeline/worker-pool.ts"

/**
 * A scan of the files on disk, compared with the last completed index run. Without a completed run, every file counts
 * as changed.
 */
export type ChangeScan = {
  /** The snapshot to store once the index reflects it; null when only some paths were checked. */
  readonly snapshot: Uint8Array | null
  /**
   * True when no file changed but folders had to be read again. Storing this snapshot saves the next scan from reading
   * them.
   */
  readonly isWorthKeeping: boolean
  /** `total`: number of files; `skipped`: number of skipped entries by reason. */
  readonly total: number
  readonly skipped: ScanResult["skipped"]
  /** Returns the complete scan, which is unpacked at the first call. */
  readonly result: () => ScanResult
  /**
   * Changes since the last run. Null if there is no usable snapshot of that run; the complete `result` must then be
   * compared with the index.
   */
  readonly since: Pick<Rescan, "changed" | "removed"> | null
}

/** A scan of all files, which always has a snapshot. */
export type FullChangeScan = ChangeScan & { readonly snapshot: Uint8Array }

/**
 * Checks a project for changes and reads as few of its files as possible. `usable`: the stored snapshot is valid, so
 * that the scan may be compared with it. `onChange` is called as soon as any difference is found, even if it later
 * turns out not to concern an indexed file.
 */
export function detectChanges(
  root: string,
  config: Config,
  store: Store,
  usable: boolean,
  onChange: () => void = () => {},
): FullChangeScan {
  const options = scanOptionsOf(config)
  const nowMs = Date.now()
  const bytes = usable ? store.snapshot.get() : null
  const packed = bytes === null ? null : readPacked(bytes)
  if (packed === null) {
    const scan = scanProject(root, options, nowMs)
    return changeScanOf(packScan(scan), scan, null)
  }
  const differing = statDifferences(root, packed)
  if (isUnchanged(root, packed, differing, options) && isSnapshotCurrent(root, store))
    return unchangedScan(packed, nowMs)
  // If statx is missing (`differing` is null), whether anything changed is known only after the comparison below.
  if (differing !== null) onChange()
  const last = packed.unpack()
  const ahead = withPathsAhead(rescan(root, last, options, nowMs, differing), store)
  const { scan, changed, removed } = withReadable(root, ahead, store)
  const hasNoChange = changed.length === 0 && removed.length === 0
  if (!hasNoChange) onChange()
  const isSame = hasNoChange && scan.folders === last.folders
  const isWorthKeeping = hasNoChange && !isSame && isStable(scan)
  return changeScanOf(isSame ? bytes! : packScan(scan), scan, { changed, removed }, isWorthKeeping)
}

/** True when the next scan could trust every folder and rule file in this one, so that it need not read them again. */
function isStable({ folders, rules, startedAtMs }: ScanResult): boolean {
  if (rules.some(({ size, mtimeMs }) => size >= 0 && isRacy(mtimeMs, startedAtMs))) return false
  return !folders.some(
    ({ mtimeMs, skipped }) => isRacy(mtimeMs, startedAtMs) || (skipped.unreadable ?? 0) > 0,
  )
}

/**
 * True when no path was indexed after the snapshot was stored, and no file that was unreadable then can be read now.
 */
function isSnapshotCurrent(root: string, store: Store): boolean {
  return readState(store).ahead.length === 0 && nowReadable(root, store).length === 0
}

function unchangedScan({ bytes, files, skipped, unpack }: PackedScan, nowMs: number): FullChangeScan {
  let scan: ScanResult | undefined
  const since = { changed: [], removed: [] }
  return {
    snapshot: bytes,
    isWorthKeeping: false,
    total: files,
    skipped,
    result: () => (scan ??= { ...unpack(), startedAtMs: nowMs }),
    since,
  }
}

/**
 * Adds the paths that were indexed after the last full scan to the changes, because the snapshot does not reflect them.
 * The run then compares these files with the index itself.
 */
function withPathsAhead({ scan, changed, removed }: Rescan, store: Store): Rescan {
  const ahead = new Set(readState(store).ahead)
  if (ahead.size === 0) return { scan, changed, removed }
  for (const { path } of changed) ahead.delete(path)
  for (const path of removed) ahead.delete(path)
  const present = scan.files.filter(({ path }) => ahead.delete(path))
  return { scan, changed: [...changed, ...present], removed: [...removed, ...ahead] }
}

/** Adds files that could not be read before and can be read now. Neither their size nor their time shows that. */
function withReadable(root: string, { scan, changed, removed }: Rescan, store: Store): Rescan {
  const newlyReadable = new Set(nowReadable(root, store))
  if (newlyReadable.size === 0) return { scan, changed, removed }
  for (const { path } of changed) newlyReadable.delete(path)
  return { scan, changed: [...changed, ...scan.files.filter(({ path }) => newlyReadable.has(path))], removed }
}

function nowReadable(root: string, store: Store): string[] {
  return store.skipped.ofReason("unreadable").filter((path) => isReadable(join(root, path)))
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** Checks only these paths; null when only a full scan can tell. `last` must be the scan that the index reflects. */
export function detectChangesIn(
  root: string,
  config: Config,
  last: ScanResult,
  paths: ReadonlySet<string>,
): ChangeScan | null {
  const checked = rescanPaths(root, last, scanOptionsOf(config), paths)
  return checked === null ? null : changeScanOf(null, checked.scan, checked)
}

function changeScanOf<S extends ChangeScan["snapshot"]>(
  snapshot: S,
  scan: ScanResult,
  since: ChangeScan["since"],
  isWorthKeeping = false,
) {
  const { files, skipped } = scan
  return { snapshot, isWorthKeeping, total: files.length, skipped, result: () => scan, since }
}

export type PackedChangeScan = Omit<FullChangeScan, "result">

/** Scans a project in a worker thread, so that the calling thread is free. */
export async function detectChangesInWorker(
  pool: WorkerPool,
  task: Omit<ScanTask, "kind">,
): Promise<ChangeScan> {
  const packed = await pool.run({ kind: "scan", ...task })
  let scan: ScanResult | undefined
  return { ...packed, result: () => (scan ??= unpackScan(packed.snapshot)!) }
}

/** The part of `detectChangesInWorker` that runs in the worker. The result is sent packed. */
export function runScanTask(task: ScanTask): PackedChangeScan {
  using store = openStore(indexPath(task.folder), { readonly: true })
  const { changeFlag } = task
  const { result, ...packed } = detectChanges(task.root, task.config, store, task.usable, () => {
    if (changeFlag !== undefined) Atomics.store(changeFlag, 0, 1)
  })
  return packed
}

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
  return last.tooLarge.every((file) => isStillTooLarge(root, file, options)) && !rulesDiffer(last, options)
}

function isStillTooLarge(root: string, file: ScannedFile, options: ScanOptions): boolean {
  const found = statAt(`${root}/${file.path}`)
  return found?.isFile() === true && isTooLarge({ ...file, size: found.size }, options)
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
  for (const file of tooLarge) if (!isTooLarge(file, options)) dirty.add(folderOf(file.path))
  for (const file of files) if (isTooLarge(file, options)) dirty.add(folderOf(file.path))
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
    const large = tooLarge[indexOf(tooLarge, path)]
    if (large !== undefined) {
      if (!found || !isTooLarge({ ...large, size: found.size }, this.#options))
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
    const file = this.#last.files[at]!
    const { path, size, mtimeMs } = file
    const found = statAt(absolute(this.#root, path))
    if (!found?.isFile() || isTooLarge({ ...file, size: found.size }, this.#options)) {
      this.#markDirty(folderOf(path))
    } else if (found.size !== size || found.mtimeMs !== mtimeMs) {
      this.#files ??= this.#last.files.slice()
      this.#files[at] = { ...file, size: found.size, mtimeMs: found.mtimeMs }
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

/** Positions, in the lists of a scan, of files and folders that differ or may differ on disk. */
export type StatDifferences = { readonly files: readonly number[]; readonly folders: readonly number[] }

/** Checks every file and folder of a packed scan without unpacking it; null on systems without statx. */
export function statDifferences(root: string, scan: PackedScan): StatDifferences | null {
  using statx = openStatx(root, scan.names)
  return statx === null ? null : compareStats(statx, scan)
}

function compareStats(
  statx: Statx,
  { names, numbers, files, folders, unreadableFolders, startedAtMs }: PackedScan,
): StatDifferences {
  const differing = { files: [] as number[], folders: [...unreadableFolders] }
  let at = 0
  for (let i = 0; i < files; i++) {
    const mtimeMs = numbers[i * 2 + 1]!
    if (!statx.isFile(at, numbers[i * 2]!, mtimeMs) || isRacy(mtimeMs, startedAtMs)) differing.files.push(i)
    at = names.indexOf(0, at) + 1
  }
  for (let i = 0; i < folders; i++) {
    const mtimeMs = numbers[files * 2 + i]!
    if (!statx.isFolder(at, mtimeMs) || isRacy(mtimeMs, startedAtMs)) differing.folders.push(i)
    at = names.indexOf(0, at) + 1
  }
  return differing
}

/** Checks paths below a folder. A path is given by its byte offset in the names. */
type Statx = Disposable & {
  /**
   * True if the path is a regular file with exactly this size and time. The time is compared as `lstat` returns it.
   * Links are not followed.
   */
  isFile(nameAt: number, size: number, mtimeMs: number): boolean
  isFolder(nameAt: number, mtimeMs: number): boolean
}

/** Linux's statx takes two thirds of the time of `lstatSync`, and no path has to be converted to a string. */
const SYMBOLS = { statx: { args: ["i32", "ptr", "i32", "u32", "ptr"], returns: "i32" } } as const

// Constants from linux/stat.h and linux/fcntl.h. The layout is the same on every processor.
const AT_SYMLINK_NOFOLLOW = 0x100
const AT_EMPTY_PATH = 0x1000
const STATX_TYPE_MODE_MTIME_SIZE = 0x1 | 0x2 | 0x40 | 0x200
const STATX_BYTES = 256
const MODE_U16 = 28 / 2
const SIZE_U32 = 40 / 4
const SECONDS_U32 = 112 / 4
const NANOSECONDS_U32 = 120 / 4
const S_IFMT = 0o170000
const S_IFREG = 0o100000
const S_IFDIR = 0o040000
const HIGH = 2 ** 32

/**
 * Opens statx for paths below `root`; null on systems other than Linux. `names` contains the paths, separated by zero
 * bytes, and must exist as long as the result is used.
 */
function openStatx(root: string, names: Uint8Array): Statx | null {
  if (call === undefined) call = openCall()
  const statx = call
  if (statx === null) return null
  const folder = openFolder(root)
  if (folder === null) return null
  // The buffer receives the result of a call. After it comes a copy of the last name, which has no zero byte at its end
  // in `names`.
  const lastAt = names.lastIndexOf(0) + 1
  const buffer = new Uint8Array(STATX_BYTES + names.length - lastAt + 1)
  buffer.set(names.subarray(lastAt), STATX_BYTES)
  const [u16, u32, i32] = [
    new Uint16Array(buffer.buffer, 0, STATX_BYTES / 2),
    new Uint32Array(buffer.buffer, 0, STATX_BYTES / 4),
    new Int32Array(buffer.buffer, 0, STATX_BYTES / 4),
  ]
  const to = ptr(buffer)
  const last = (to + STATX_BYTES) as Pointer
  const from = lastAt === 0 ? last : ptr(names)
  const flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH
  const isStill = (nameAt: number, kind: number, mtimeMs: number) =>
    statx(
      folder,
      nameAt === lastAt ? last : ((from + nameAt) as Pointer),
      flags,
      STATX_TYPE_MODE_MTIME_SIZE,
      to,
    ) === 0 &&
    (u16[MODE_U16]! & S_IFMT) === kind &&
    (u32[SECONDS_U32]! + i32[SECONDS_U32 + 1]! * HIGH) * 1000 + u32[NANOSECONDS_U32]! / 1e6 === mtimeMs
  return {
    isFile: (nameAt, size, mtimeMs) =>
      isStill(nameAt, S_IFREG, mtimeMs) && u32[SIZE_U32]! + u32[SIZE_U32 + 1]! * HIGH === size,
    isFolder: (nameAt, mtimeMs) => isStill(nameAt, S_IFDIR, mtimeMs),
    [Symbol.dispose]: () => closeSync(folder),
  }
}

let call: ReturnType<typeof openCall> | undefined

function openCall() {
  return process.platform === "linux" ? (openSystemLibrary(SYMBOLS)?.statx ?? null) : null
}

function openFolder(path: string): number | null {
  try {
    return openSync(path, "r")
  } catch {
    return null
  }
}
