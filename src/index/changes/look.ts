import { accessSync, constants } from "node:fs"
import { join } from "node:path"
import type { Config } from "../../config/load.ts"
import { openStore } from "../../store/index/open.ts"
import type { Store } from "../../store/index/store.ts"
import { indexPath } from "../index-folder.ts"
import { readState } from "../index-state.ts"
import type { LookTask } from "../pipeline/messages.ts"
import { scanProject } from "../scan/scan-folder.ts"
import { isRacy, type ScanResult, scanOptionsOf } from "../scan/scan-result.ts"
import { type PackedScan, packScan, readPacked } from "../scan/scan-snapshot.ts"
import { lookNear } from "./look-near.ts"
import { movedSince } from "./moved.ts"
import { isStill, type Rescan, rescan } from "./rescan.ts"

/**
 * A scan of the project on disk, compared with the last completed run; without one, every file counts as
 * changed.
 */
export type Look = {
  /** To be stored once the index reflects it; null when only some paths were checked. */
  readonly snapshot: Uint8Array | null
  /**
   * Nothing changed, but folders had to be read again; storing this snapshot saves the next scan from doing
   * so.
   */
  readonly isWorthKeeping: boolean
  /** Number of files, and counts of what was skipped. */
  readonly total: number
  readonly skipped: ScanResult["skipped"]
  /** The complete scan, unpacked at the first call. */
  readonly scan: () => ScanResult
  /**
   * Changes since the last run; null without a usable one: then the whole of `scan` must be compared with the
   * index.
   */
  readonly since: Pick<Rescan, "changed" | "removed"> | null
}

/** A look at all files. */
export type WholeLook = Look & { readonly snapshot: Uint8Array }

/**
 * Checks a project for changes and reads as few of its files as possible. `onMoved` is called as soon as any
 * difference is found, even though it may turn out not to concern an indexed file.
 */
export function lookAt(
  root: string,
  config: Config,
  store: Store,
  usable: boolean,
  onMoved: () => void = () => {},
): WholeLook {
  const options = scanOptionsOf(config)
  const nowMs = Date.now()
  const bytes = usable ? store.snapshot.get() : null
  const packed = bytes === null ? null : readPacked(bytes)
  if (packed === null) {
    const scan = scanProject(root, options, nowMs)
    return lookOf(packScan(scan), scan, null)
  }
  const moved = movedSince(root, packed)
  if (isStill(root, packed, moved, options) && isAllKnown(root, store)) return sameAs(packed, nowMs)
  // Where statx is missing (`moved` is null), only the comparison below can tell.
  if (moved !== null) onMoved()
  const last = packed.unpack()
  const ahead = withAhead(rescan(root, last, options, nowMs, moved), store)
  const { scan, changed, removed } = withReadable(root, ahead, store)
  const isUnchanged = changed.length === 0 && removed.length === 0
  if (!isUnchanged) onMoved()
  const isSame = isUnchanged && scan.folders === last.folders
  const isWorthKeeping = isUnchanged && !isSame && isSettled(scan)
  return lookOf(isSame ? bytes! : packScan(scan), scan, { changed, removed }, isWorthKeeping)
}

/** False when the next scan would have to read folders again even with this snapshot. */
function isSettled({ folders, rules, startedAtMs }: ScanResult): boolean {
  if (rules.some(({ size, mtimeMs }) => size >= 0 && isRacy(mtimeMs, startedAtMs))) return false
  return !folders.some(
    ({ mtimeMs, skipped }) => isRacy(mtimeMs, startedAtMs) || (skipped.unreadable ?? 0) > 0,
  )
}

/** True when no path was indexed since the snapshot and no unreadable file has become readable. */
function isAllKnown(root: string, store: Store): boolean {
  return readState(store).ahead.length === 0 && readable(root, store).length === 0
}

function sameAs({ bytes, files, skipped, unpack }: PackedScan, nowMs: number): WholeLook {
  let scan: ScanResult | undefined
  const since = { changed: [], removed: [] }
  return {
    snapshot: bytes,
    isWorthKeeping: false,
    total: files,
    skipped,
    scan: () => (scan ??= { ...unpack(), startedAtMs: nowMs }),
    since,
  }
}

/**
 * Adds the paths that were indexed after the last full scan, so that they are compared with the index itself.
 */
function withAhead({ scan, changed, removed }: Rescan, store: Store): Rescan {
  const ahead = new Set(readState(store).ahead)
  if (ahead.size === 0) return { scan, changed, removed }
  for (const { path } of changed) ahead.delete(path)
  for (const path of removed) ahead.delete(path)
  const there = scan.files.filter(({ path }) => ahead.delete(path))
  return { scan, changed: [...changed, ...there], removed: [...removed, ...ahead] }
}

/** Adds files that were unreadable and can be read now: neither their size nor their time shows that. */
function withReadable(root: string, { scan, changed, removed }: Rescan, store: Store): Rescan {
  const barred = new Set(readable(root, store))
  if (barred.size === 0) return { scan, changed, removed }
  for (const { path } of changed) barred.delete(path)
  return { scan, changed: [...changed, ...scan.files.filter(({ path }) => barred.has(path))], removed }
}

function readable(root: string, store: Store): string[] {
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

/** Checks only these paths; null when a full scan is needed. `last` must match the state of the index. */
export function lookNearby(
  root: string,
  config: Config,
  last: ScanResult,
  paths: ReadonlySet<string>,
): Look | null {
  const found = lookNear(root, last, scanOptionsOf(config), paths)
  return found === null ? null : lookOf(null, found.scan, found)
}

function lookOf<S extends Look["snapshot"]>(
  snapshot: S,
  scan: ScanResult,
  since: Look["since"],
  isWorthKeeping = false,
) {
  const { files, skipped } = scan
  return { snapshot, isWorthKeeping, total: files.length, skipped, scan: () => scan, since }
}

export type PackedLook = Omit<WholeLook, "scan">

/** Scans in a worker; the result is sent packed. */
export function lookTask(task: LookTask): PackedLook {
  using store = openStore(indexPath(task.folder), { readonly: true })
  const { sign } = task
  const { scan, ...packed } = lookAt(task.root, task.config, store, task.usable, () => {
    if (sign !== undefined) Atomics.store(sign, 0, 1)
  })
  return packed
}
