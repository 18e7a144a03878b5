import { accessSync, constants } from "node:fs"
import { join } from "node:path"
import type { Config } from "../../config/load.ts"
import { openStore } from "../../store/index/open.ts"
import type { Store } from "../../store/index/store.ts"
import { indexPath } from "../index-folder.ts"
import { readState } from "../index-state.ts"
import type { ScanTask } from "../pipeline/messages.ts"
import type { WorkerPool } from "../pipeline/worker-pool.ts"
import { scanProject } from "../scan/scan-folder.ts"
import { isRacy, type ScanResult, scanOptionsOf } from "../scan/scan-result.ts"
import { type PackedScan, packScan, readPacked, unpackScan } from "../scan/scan-snapshot.ts"
import { isUnchanged, type Rescan, rescan } from "./rescan.ts"
import { rescanPaths } from "./rescan-paths.ts"
import { statDifferences } from "./stat-differences.ts"

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
