import { AmanError } from "../../base/errors.ts"
import { log } from "../../base/log.ts"
import { type ChangeScan, detectChanges, detectChangesInWorker } from "../../index/changes/detect-changes.ts"
import { statAt } from "../../index/changes/rescan.ts"
import { indexPath } from "../../index/index-folder.ts"
import { readState } from "../../index/index-state.ts"
import { isRankDue } from "../../index/pipeline/rank-if-due.ts"
import { isUsable } from "../../index/pipeline/run.ts"
import { WorkerPool } from "../../index/pipeline/worker-pool.ts"
import type { IndexReader } from "../../search/reader.ts"
import { isAsVerified } from "../../store/derived/derived-files.ts"
import type { Store } from "../../store/index/store.ts"
import { storeError } from "../../store/sqlite-error.ts"
import type { Project } from "../project/open-project.ts"
import { hasPlantedLog, knownIndexId } from "./index-trust.ts"
import { Indexer } from "./indexer.ts"
import { leadOrWait } from "./lead-or-wait.ts"

export type RefreshOptions = {
  readonly signal?: AbortSignal | undefined
  /** Projects with more files are scanned by another thread. */
  readonly quickFiles?: number | undefined
  /** Files known to differ from what was indexed, whatever their size and time. */
  readonly suspects?: readonly string[] | undefined
}

// Scanning this many files takes as long as starting a thread does.
const QUICK_FILES = 2_000
/** A larger index usually has more files than QUICK_FILES: the thread is started while it is opened. */
const LARGE_BYTES = 16 << 20

/**
 * A query on the current index; `check` throws once the scan has found a change that may make the answer
 * worthless.
 */
export type Ask<T> = (reader: IndexReader, check: () => void) => Promise<T>

/**
 * Updates the index, unless another process does. In a large project `ask` is called on the current index
 * while another thread scans the files: if nothing has changed, its answer is returned. Otherwise returns
 * null, and the next call takes a tenth of the time.
 */
export async function refreshIndex<T>(
  project: Project,
  options: RefreshOptions,
  ask?: Ask<T>,
): Promise<T | null> {
  const { signal, suspects = [] } = options
  using pool = new WorkerPool(project.config.index.workers)
  if (suspects.length > 0) {
    using indexer = await leadOrWait(project, signal, pool, suspects)
    await indexer?.run({ signal, suspects })
    return null
  }
  if (ask !== undefined && isLarge(project)) pool.warm(1, null)
  const reader = readerOrNull(project)
  const { first, answer } = reader === null ? NOTHING : await scanAndAsk(project, reader, options, pool, ask)
  if (first?.isCurrent) {
    if (first.scan.isWorthKeeping) await storeSnapshot(project, reader, first, signal)
    return answer
  }
  if (first === null) project.close()
  using indexer = await leadOrWait(project, signal, pool)
  const scan = isStillCurrent(project, reader, first) ? first?.scan : undefined
  await indexer?.run({ signal, scan })
  return null
}

export type Refreshed<T> = {
  /** Why the index could not be updated; null if it was. */
  readonly failure: string | null
  /** Answer computed during the scan, if the index turned out to be up to date; else null. */
  readonly answer: T | null
}

/** Like refreshIndex, but a complete index is used as it is if nothing can be written, as on a full disk. */
export async function refreshOrReport<T>(
  project: Project,
  options: RefreshOptions,
  ask?: Ask<T>,
): Promise<Refreshed<T>> {
  try {
    return { failure: null, answer: await refreshIndex(project, options, ask) }
  } catch (cause) {
    const error = storeError(cause, indexPath(project.config.index.dir))
    const reader = project.reader()
    const wasWhole = reader !== null && readState(reader.store).indexedAt !== null
    if (!(error instanceof AmanError) || error.code !== "IO" || !wasWhole) throw error
    return { failure: `the index could not be brought up to date: ${error.message}`, answer: null }
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
    // An index that cannot be registered would be rebuilt by taking the lead.
    const known = knownIndexId({ root: project.root, dir: project.config.index.dir })
    if (typeof known !== "number" || !isStillCurrent(project, reader, first)) return
    using indexer = Indexer.take(project)
    if (indexer !== null && isStillCurrent(project, reader, first))
      await indexer.run({ scan: first.scan, signal })
  } catch (error) {
    log.debug("the snapshot was not stored", { reason: String(error) })
  }
}

const NOTHING = { first: null, answer: null }

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

async function scanAndAsk<T>(
  project: Project,
  reader: IndexReader,
  { quickFiles = QUICK_FILES }: RefreshOptions,
  pool: WorkerPool,
  ask: Ask<T> | undefined,
): Promise<{ readonly first: LocklessScan | null; readonly answer: T | null }> {
  const usesWorker = ask !== undefined && reader.store.files.totals().files > quickFiles
  const changeFlag = new Int32Array(new SharedArrayBuffer(4))
  const scanning = scanWithoutLock(project, reader, usesWorker ? { pool, changeFlag } : null)
  const check = () => {
    if (Atomics.load(changeFlag, 0) !== 0) throw new Error("something changed")
  }
  // Errors are ignored here: the query is repeated if its answer counts.
  const answer = usesWorker ? await ask(reader, check).catch(() => null) : null
  return { first: await scanning, answer }
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

/** True if the last run completed with these settings and its files are unaltered. */
function isComplete({ root, config }: Project, store: Store, folder: string): boolean {
  const { dir } = config.index
  return (
    isUsable({ store, config }) &&
    !isRankDue(store) &&
    !hasPlantedLog({ root, dir }) &&
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
