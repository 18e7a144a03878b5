import { accessSync, constants } from "node:fs"
import { join } from "node:path"
import type { Config } from "../config/load.ts"
import type { Store } from "../store/store.ts"
import { readState } from "./index-state.ts"
import { lookNear } from "./look-near.ts"
import { movedSince } from "./moved.ts"
import { isStill, type Rescan, rescan } from "./rescan.ts"
import { scanProject } from "./scan.ts"
import { isRacy } from "./scan-grain.ts"
import { scanOptionsOf } from "./scan-options.ts"
import type { ScanResult } from "./scan-result.ts"
import { type PackedScan, packScan, readPacked } from "./scan-snapshot.ts"

/** The project as it is on disk, against the last completed run; without one, everything counts as changed. */
export type Look = {
  /** To be stored once the index shows it; null where only some paths were looked at. */
  readonly snapshot: Uint8Array | null
  /** Nothing changed, and yet folders had to be read again; kept, the snapshot spares the next look that. */
  readonly isWorthKeeping: boolean
  /** How many files there are, and what was left out. */
  readonly total: number
  readonly skipped: ScanResult["skipped"]
  /** All of it, unpacked when it is asked for. */
  readonly scan: () => ScanResult
  /** Null where there is nothing to compare with: the whole of `scan` is to be compared with the index. */
  readonly since: Pick<Rescan, "changed" | "removed"> | null
}

/** A look at everything. */
export type WholeLook = Look & { readonly snapshot: Uint8Array }

/**
 * Looks at the files of a project; as little of them as telling what changed needs. `onMoved` is called as soon as
 * anything is not as it was, though what may turn out to be none of ours.
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
  // Where the system cannot be asked so, the comparison tells.
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

/** False where another look would have to read folders again, whatever becomes of this one. */
function isSettled({ folders, rules, startedAtMs }: ScanResult): boolean {
  if (rules.some(({ size, mtimeMs }) => size >= 0 && isRacy(mtimeMs, startedAtMs))) return false
  return !folders.some(
    ({ mtimeMs, skipped }) => isRacy(mtimeMs, startedAtMs) || (skipped.unreadable ?? 0) > 0,
  )
}

/** Neither ahead of the last look, nor can be read by now what could not be then. */
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

/** Paths that the index had anew since the last look at everything are compared with the index itself. */
function withAhead({ scan, changed, removed }: Rescan, store: Store): Rescan {
  const ahead = new Set(readState(store).ahead)
  if (ahead.size === 0) return { scan, changed, removed }
  for (const { path } of changed) ahead.delete(path)
  for (const path of removed) ahead.delete(path)
  const there = scan.files.filter(({ path }) => ahead.delete(path))
  return { scan, changed: [...changed, ...there], removed: [...removed, ...ahead] }
}

/** Files that could not be read and can be now: neither their size nor their time tells. */
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

/** Looks only where hints say; null where that does not do. `last`: as the index shows it. */
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
