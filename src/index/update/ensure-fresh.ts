/*
 * Brings an index up to date before a question, without being its background updater. `FreshnessCheck`: 1. a scan
 * without the lock compares files and index; in a large project another thread scans while the caller searches
 * (`startBeside`); 2. if nothing has changed, the index is used as it is; 3. otherwise this process takes the lead
 * and updates the index, or waits for the leader; 4. if nothing can be written, a complete index
 * still answers, with a notice.
 */

import { existsSync, lstatSync } from "node:fs"
import { join } from "node:path"
import { AmanError, type ErrorCode, isPlain, log, type OpenFolder } from "../../base/index.ts"
import {
  isAsVerified,
  isDamage,
  isOfOlderSchema,
  LeaderLock,
  lockPath,
  type Store,
  storeError,
} from "../../store/index.ts"
import { type ChangeScan, detectChanges, detectChangesInWorker, statAt } from "../changes/detect-changes.ts"
import { type IndexPlace, indexPath, markDamaged, openIndexFolder, requestReindex } from "../index-folder.ts"
import { readState } from "../index-state.ts"
import type { Project } from "../open/open-project.ts"
import type { IndexReader } from "../open/reader.ts"
import { isRankDue, isUsable } from "../pipeline/run.ts"
import { WorkerPool } from "../pipeline/worker-pool.ts"
import { isForeignIndex, isWalTracked, knownIndexId } from "./index-trust.ts"
import { Indexer } from "./indexer.ts"

export type FreshOptions = {
  readonly signal?: AbortSignal | undefined
  /** Projects with more files are scanned by another thread. */
  readonly quickFiles?: number | undefined
}

/** The index at the time of a question. */
export type Snapshot = {
  /** Reader of the index; null if there is none. */
  readonly reader: IndexReader | null
  /** Why the index could not be brought up to date; null if it was, or if that was not requested. */
  readonly failure: string | null
}

// Scanning this many files takes as long as a thread that starts beside a search, which needs 45 ms of processor time.
const QUICK_FILES = 10_000
/** A larger index usually has more files than QUICK_FILES: the thread is started while it is opened. */
const LARGE_BYTES = 64 << 20

/**
 * Brings the index up to date, or waits until the leader has done so. A complete index is used as it is if
 * nothing can be written, as on a full disk.
 */
export async function ensureFresh(project: Project, options: FreshOptions = {}): Promise<Snapshot> {
  using check = new FreshnessCheck(project, options)
  return await check.finish()
}

/** Like ensureFresh, and reads the suspects again whatever their size and time. */
export async function ensureReread(
  project: Project,
  suspects: readonly string[],
  { signal }: FreshOptions,
): Promise<Snapshot> {
  const failure = await updateFailure(project, async () => {
    using pool = new WorkerPool(project.config.index.workers)
    using indexer = await leadOrWait(project, signal, pool, suspects)
    await indexer?.run({ signal, suspects })
  })
  return { reader: project.reader(), failure }
}

/**
 * A check of the index against the files, and the update if they differ. In a large project another thread
 * scans the files, so that the caller can search the current index meanwhile.
 */
export class FreshnessCheck implements Disposable {
  readonly #project: Project
  readonly #options: FreshOptions
  readonly #pool: WorkerPool
  /** Becomes 1 at the first change that the scan finds. */
  readonly #changeFlag = new Int32Array(new SharedArrayBuffer(4))
  #reader: IndexReader | null = null
  #scanning: Promise<LocklessScan | null> | null = null

  constructor(project: Project, options: FreshOptions) {
    this.#project = project
    this.#options = options
    this.#pool = new WorkerPool(project.config.index.workers)
  }

  /**
   * Starts the scan in another thread and returns the index to search meanwhile; null if there is none or the
   * project is small, in which case `finish` scans.
   */
  startBeside(): IndexReader | null {
    const { quickFiles = QUICK_FILES } = this.#options
    if (isLarge(this.#project)) this.#pool.warm(1, null)
    const reader = readerWithFiles(this.#project, quickFiles)
    if (reader === null) return null
    this.#reader = reader
    this.#scanning = scanWithoutLock(this.#project, reader, {
      pool: this.#pool,
      changeFlag: this.#changeFlag,
    })
    // `finish` reports the failure, but may be called only after it has happened.
    this.#scanning.catch(() => {})
    return reader
  }

  /** Throws once the scan has found a change that may make an answer worthless. */
  readonly throwIfChanged = (): void => {
    if (Atomics.load(this.#changeFlag, 0) !== 0) throw new Error("a file has changed")
  }

  /**
   * Completes the check, and updates the index if needed. `isUnchanged` is true if there was nothing to
   * update: answers from the index returned by startBeside are valid.
   */
  async finish(): Promise<Snapshot & { readonly isUnchanged: boolean }> {
    this.#project.requireNarrowRoot()
    let isUnchanged = false
    const failure = await updateFailure(this.#project, async () => {
      isUnchanged = await this.#update()
    })
    return { reader: this.#project.reader(), failure, isUnchanged }
  }

  /**
   * Updates the index if needed; returns true if there was nothing to update. If the scan had to read folders
   * again, its snapshot is stored, so that the next check takes a tenth of the time.
   */
  async #update(): Promise<boolean> {
    const project = this.#project
    const { signal } = this.#options
    const reader = this.#reader ?? readerOrNull(project)
    const first = await (this.#scanning ?? (reader && scanWithoutLock(project, reader, null)))
    if (first?.isCurrent) {
      if (first.scan.isWorthKeeping) await storeSnapshot(project, reader, first, signal)
      return true
    }
    if (first === null) project.close()
    using indexer = await leadOrWait(project, signal, this.#pool)
    const scan = isStillCurrent(project, reader, first) ? first?.scan : undefined
    await indexer?.run({ signal, scan })
    return false
  }

  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]()
  }
}

/** Errors of an update after which a complete index still answers, with a notice. */
const WITHOUT_UPDATE: readonly ErrorCode[] = ["IO", "MEMORY_LIMIT"]

/** Why `update` could not write to a complete index; null if it succeeded. Throws other errors. */
async function updateFailure(project: Project, update: () => Promise<void>): Promise<string | null> {
  try {
    await update()
    return null
  } catch (cause) {
    const error = storeError(cause, indexPath(project.config.index.dir))
    const reader = project.reader()
    const wasWhole = reader !== null && readState(reader.store).indexedAt !== null
    if (!(error instanceof AmanError) || !WITHOUT_UPDATE.includes(error.code) || !wasWhole) throw error
    return `the index could not be updated: ${error.message}`
  }
}

/**
 * Stores a scan's snapshot for the next time. A leader keeps its own; if nothing can be written, the next
 * scan takes as long as this one.
 */
async function storeSnapshot(
  project: Project,
  reader: IndexReader | null,
  first: LocklessScan,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    // Skipped for an index that cannot be registered, because taking the lead would rebuild it.
    const indexId = knownIndexId(project.indexPlace)
    if (typeof indexId !== "number" || !isStillCurrent(project, reader, first)) return
    using indexer = Indexer.take(project)
    if (indexer !== null && isStillCurrent(project, reader, first))
      await indexer.run({ scan: first.scan, signal })
  } catch (error) {
    log.debug("the snapshot was not stored", { reason: String(error) })
  }
}

function isLarge({ config }: Project): boolean {
  return (statAt(indexPath(config.index.dir))?.size ?? 0) > LARGE_BYTES
}

/** Reader of the index; null if it has a problem, which the leader handles. */
function readerOrNull(project: Project): IndexReader | null {
  try {
    return project.reader()
  } catch {
    return null
  }
}

/** Reader of an index with more than `files` files; null if it has fewer or a problem, which the leader handles. */
function readerWithFiles(project: Project, files: number): IndexReader | null {
  try {
    const reader = project.reader()
    return reader !== null && reader.store.files.totals().files > files ? reader : null
  } catch {
    return null
  }
}

/** True if no process has written to the index since that scan. */
function isStillCurrent(project: Project, reader: IndexReader | null, first: LocklessScan | null): boolean {
  return first !== null && project.reader() === reader && reader?.store.dataVersion() === first.version
}

/** Result of a scan by a follower, and the state of the index that it was compared with. */
type LocklessScan = {
  readonly scan: ChangeScan
  readonly version: number
  /** True if the index matches the files: a leader would find nothing to do. */
  readonly isCurrent: boolean
}

/** Worker threads for a scan, and a flag that the scan sets to 1 at the first change it finds. */
type WorkerScan = { readonly pool: WorkerPool; readonly changeFlag: Int32Array<SharedArrayBuffer> }

/**
 * Scans without the lock and without writing; null if only the leader can tell what is to be done. With
 * `apart`, another thread scans.
 */
async function scanWithoutLock(
  project: Project,
  { store, folder }: IndexReader,
  apart: WorkerScan | null,
): Promise<LocklessScan | null> {
  const { root, config } = project
  const version = store.dataVersion()
  if (!isComplete(project, store, folder)) return null
  const scan =
    apart !== null ? await scanInWorker(project, folder, apart) : detectChanges(root, config, store, true)
  return { scan, version, isCurrent: store.dataVersion() === version && matchesIndex(store, scan) }
}

function scanInWorker(
  { root, config }: Project,
  folder: string,
  { pool, changeFlag }: WorkerScan,
): Promise<ChangeScan> {
  return detectChangesInWorker(pool, { root, config, folder, usable: true, changeFlag })
}

/**
 * True if the index can answer as it is: the last run completed with these settings, no file ranks are due, git does not
 * track the index's WAL file, and every derived file is as it was last verified.
 */
function isComplete({ root, config }: Project, store: Store, folder: string): boolean {
  const { dir } = config.index
  return (
    isUsable({ store, config }) &&
    !isRankDue(store) &&
    !isWalTracked({ root, dir }) &&
    store.derived.all().every((row) => isAsVerified(folder, row))
  )
}

/** True if the scan found no difference; the counts of skipped files are part of the index, too. */
function matchesIndex(store: Store, { since, skipped, total }: ChangeScan): boolean {
  const state = readState(store)
  return (
    since?.changed.length === 0 &&
    since.removed.length === 0 &&
    state.total === total &&
    JSON.stringify(state.skipped) === JSON.stringify(skipped)
  )
}

// Interval between two attempts to take the lead. Short, so that of two processes that start together the
// second one waits hardly longer than the first.
const POLL_MS = 50
// A leader of this version or newer migrates the schema at once. If the index is still unreadable after this
// time, its leader must be older.
const OLDER_MS = 3_000

/**
 * Returns an Indexer if this process leads. If another one does, waits until that process has indexed what this one
 * would have, and returns null: at first the whole project, later the edits made until now and the files in `suspects`.
 * Takes over if the leader ends. Throws INDEX_BUSY if the leader is an older aman, whose index we cannot read, and IO if
 * no process can lead.
 */
export async function leadOrWait(
  project: Project,
  signal?: AbortSignal,
  pool?: WorkerPool,
  suspects: readonly string[] = [],
): Promise<Indexer | null> {
  let isUpToDate: (() => boolean) | null = null
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const indexer = Indexer.take(project, pool)
    if (indexer !== null) return indexer
    const reader = readerUnlessDamaged(project)
    if (reader !== null && readState(reader.store).indexedAt !== null) {
      isUpToDate ??= askLeader(project, reader.store, suspects)
      if (isUpToDate()) return null
    }
    if (reader === null && waitedMs >= OLDER_MS) throwIfUnreadable(project)
    if (signal?.aborted) throw new AmanError("INTERRUPTED", "interrupted while another aman was indexing")
    await Bun.sleep(POLL_MS)
  }
}

/**
 * Reader of the index; null if there is none, or if it is damaged, in which case the leader is told to
 * rebuild it.
 */
function readerUnlessDamaged(project: Project): IndexReader | null {
  try {
    return project.reader()
  } catch (error) {
    if (!isDamage(error)) throw error
    markDamagedIn(project.indexPlace)
    return null
  }
}

/**
 * Why no leader will ever make this index readable for us; null if that can still happen. Only for a follower
 * that finds no readable index.
 */
export function whyUnreadable({ root, config }: Project): AmanError | null {
  const indexDir = config.index.dir
  using folder = openIndexFolder({ root, dir: indexDir })
  // A leader leaves the lock file in place: if there is none, it could not be created.
  if (folder === null || !existsSync(lockPath(folder.at))) {
    return new AmanError("IO", `cannot create the lock file of the index in ${indexDir}`, {
      hint: "set AMAN_INDEX_DIR to a shorter path or another folder",
    })
  }
  if (!supportsLocks(folder)) {
    return new AmanError("IO", `cannot keep an index in ${indexDir}: its file system has no file locks`, {
      hint: "set AMAN_INDEX_DIR to a folder on a local disk",
    })
  }
  if (isForeignIndex(indexDir)) {
    return new AmanError(
      "INDEX_BUSY",
      `an aman process with another data folder is using the index in ${indexDir}`,
      {
        hint: "set AMAN_INDEX_DIR to another folder, or stop that process, then try again",
      },
    )
  }
  const path = indexPath(folder.at)
  if (!isPlain(path) || !isOfOlderSchema(path)) return null
  return new AmanError("INDEX_BUSY", `an older version of aman is using the index in ${indexDir}`, {
    hint: "stop it (restart your agent), then try again",
  })
}

/**
 * True if the file system supports locks. Tested once per folder, because callers ask many times a second.
 */
function supportsLocks(folder: OpenFolder): boolean {
  const canLock = lockSupport.get(folder.path) ?? LeaderLock.canLock(folder)
  lockSupport.set(folder.path, canLock)
  return canLock
}

const lockSupport = new Map<string, boolean>()

function throwIfUnreadable(project: Project): void {
  const reason = whyUnreadable(project)
  if (reason !== null) throw reason
}

// Max wait for the leader, which checks for reindex requests twice a second and indexes an edit in a few dozen
// milliseconds.
const REPAIR_TIMEOUT_MS = 3_000

type FileStamp = { readonly size: number; readonly mtimeMs: number }
/** A file whose state on disk is not in the index yet; `now` is null if it was deleted. */
type Edit = { readonly path: string; readonly now: FileStamp | null }

/**
 * Asks the leader to index the edits made until now, which it may not have seen, and to read suspects again whatever
 * their size and time. Returns a function that is true once the leader has done so or its time is up; results that are
 * still stale are then left out of answers. Takes one scan of the files when nothing has changed.
 */
function askLeader({ root, config }: Project, store: Store, suspects: readonly string[] = []): () => boolean {
  let edits = editsIn(detectChanges(root, config, store, true), store)
  const areReindexed = reindexCheck((path) => store.files.byPath(path)?.id, suspects)
  const isDone = () => {
    edits = edits.filter((edit) => isMissing(edit, root, store))
    return (edits.length === 0 && areReindexed()) || performance.now() > until
  }
  const until = performance.now() + REPAIR_TIMEOUT_MS
  if (!isDone()) requestReindexIn({ root, dir: config.index.dir }, suspects)
  return isDone
}

/** Marks the index as damaged, so that the leader rebuilds it. */
export function markDamagedIn(place: IndexPlace): void {
  using folder = openIndexFolder(place)
  if (folder !== null) markDamaged(folder.at)
}

/**
 * Sends a reindex request to the leader of an index. Throws if that is impossible, as when a link stands in
 * place of its folder.
 */
export function requestReindexIn(place: IndexPlace, suspects: readonly string[]): void {
  using folder = openIndexFolder(place)
  if (folder !== null) requestReindex(folder.at, new Date(), suspects)
}

/**
 * Returns a function that is true once each path has been indexed again. A path counts as indexed again when its file
 * has another id, or when it was not in the index at first.
 */
export function reindexCheck(
  idOf: (path: string) => number | undefined,
  paths: readonly string[],
): () => boolean {
  const previousIds = paths.map((path) => [path, idOf(path)] as const)
  return () => previousIds.every(([path, id]) => id === undefined || idOf(path) !== id)
}

function editsIn({ since, result }: ChangeScan, store: Store): Edit[] {
  if (since !== null) return toEdits(since.changed, since.removed)
  // A running index job has cleared the snapshot, so every file is compared with the index.
  const { files } = result()
  const present = new Set(files.map(({ path }) => path))
  const gone = store.files.known().flatMap(([path]) => (present.has(path) ? [] : [path]))
  return toEdits(files, gone)
}

function toEdits(changed: readonly (FileStamp & { path: string })[], removed: readonly string[]): Edit[] {
  return [
    ...changed.map(({ path, size, mtimeMs }) => ({ path, now: { size, mtimeMs } })),
    ...removed.map((path) => ({ path, now: null })),
  ]
}

/** True while the edit is missing from the index and the file has not changed again since. */
function isMissing({ path, now }: Edit, root: string, store: Store): boolean {
  const row = store.files.byPath(path)
  if (now === null) return row !== null
  if (isSameStamp(row, now) || isSameStamp(store.skipped.get(path), now)) return false
  return isSameStamp(fileStamp(join(root, path)), now)
}

function isSameStamp(stamp: FileStamp | null, other: FileStamp): boolean {
  return stamp?.size === other.size && stamp.mtimeMs === other.mtimeMs
}

function fileStamp(path: string): FileStamp | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    // The folder is no longer readable, which counts as deleted.
    return null
  }
}
