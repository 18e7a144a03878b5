/*
 * Keeps the index of a served project current. Twice a second `#takeLead` tries to become the leader. As the leader
 * it runs the indexer after events of the watcher, after reindex requests of followers, and by rescans when events
 * may be missing. As a follower it only asks the leader. Queries call `catchUp` first and `rescan` or `repair` when a
 * result turned out to be stale or damaged.
 */

import { AmanError, everyHalfSecond, log, messageOf } from "../../base/index.ts"
import { packsStamp } from "../../parse/index.ts"
import { isDamage, LeaderLockWatch } from "../../store/index.ts"
import { isMarkedDamaged, openIndexFolder, takeReindexRequests } from "../index-folder.ts"
import type { Project } from "../open/open-project.ts"
import { type Hints, Watch } from "../watch/watch.ts"
import { reindexCheck, requestReindexIn, whyUnreadable } from "./ensure-fresh.ts"
import { Indexer, type IndexerRun } from "./indexer.ts"
import type { ReindexOutcome } from "./with-index-repair.ts"

// Without change events, a query rescans when the last scan is older than performance.debounce; a slow scan
// takes at most a tenth of the time. The same limit holds for scans caused by changes that never end.
const SCAN_TIME_SHARE = 10
// For this long after a scan, a query does not scan again if no event has arrived. Later it does, because some file
// systems, above all network ones, do not report changes made by other machines.
const TRUST_MS = 10_000
// Threads are kept for 20 s after a run, because the next edit is likely to come soon.
const KEEP_THREADS_MS = 20_000

const POLL_MS = 20
// More files than one person saves at once.
const STORM_PATHS = 50

export type UpdaterOptions = {
  /** Called after each run. */
  readonly onRun?: (run: IndexerRun) => void
}

/** Background job that keeps a project's index up to date while this process is the leader. Never throws. */
export class IndexUpdater {
  readonly #project: Project
  readonly #onRun: (run: IndexerRun) => void
  readonly #abort = new AbortController()
  readonly #embedding = embeddingJob(this.#abort.signal)
  readonly #encoding = encodingJob(this.#abort.signal)
  readonly #poll: Disposable
  readonly #lockWatch: LeaderLockWatch
  #indexer: Indexer | null = null
  #watch: Watch | null = null
  #running: Promise<void> | null = null
  #releaseTimer: ReturnType<typeof setTimeout> | null = null
  #rescanDueAt = Number.NEGATIVE_INFINITY
  #packsAt = packsStamp()
  #runs = 0
  /** Files found to differ from what was indexed; the next full scan reads them again. */
  readonly #suspects = new Set<string>()
  /** True while the running job reads the changes of a burst. */
  #isAfterStorm = false
  #failure: string | null = null

  constructor(project: Project, { onRun = () => {} }: UpdaterOptions = {}) {
    this.#project = project
    this.#onRun = onRun
    this.#lockWatch = new LeaderLockWatch(() => openIndexFolder(project.indexPlace))
    // A follower polls for the lock, so that it takes over within two seconds of the leader's death.
    this.#poll = everyHalfSecond(() => this.#takeLead())
    this.#takeLead()
  }

  /** True if this process is the leader and writes the index. */
  get leads(): boolean {
    return this.#indexer !== null
  }

  /** True once at least one run has completed. */
  get hasRun(): boolean {
    return this.#runs > 0
  }

  get isRunning(): boolean {
    return this.#running !== null
  }

  /** Why the index is not being updated, as a message for the user; null if it is. */
  get failure(): string | null {
    return this.#failure ?? (this.#indexer === null ? this.#unreadable : null)
  }

  /** Why this process can never read the leader's index, for example an older aman's; null otherwise. */
  get #unreadable(): string | null {
    try {
      if (this.#project.reader() !== null || this.#lockWatch.isFree()) return null
      const reason = whyUnreadable(this.#project)
      return reason && `the index is not being updated: ${reason.message}; ${reason.hint}`
    } catch {
      // The query itself fails for the same reason and reports it.
      return null
    }
  }

  /** Number of changed paths not yet checked; null if any path may have changed. */
  get waiting(): number | null {
    return this.#watch === null ? 0 : this.#watch.waiting
  }

  /**
   * Scans everything now and waits at most `maxWaitMs`. Files in `suspects` are read again even if their size and time
   * are unchanged. Returns `pending` in two cases: many events are arriving, so that one scan follows when they have
   * ended; or another process leads, was asked, and has not finished in time. Returns `none` if no other process can be
   * asked.
   */
  async rescan(maxWaitMs: number, suspects: readonly string[]): Promise<ReindexOutcome> {
    if (this.#indexer === null) return this.#askLeaderToRescan(maxWaitMs, suspects)
    for (const path of suspects) this.#suspects.add(path)
    if (this.#isStorm) return "pending"
    this.#rescanDueAt = Number.NEGATIVE_INFINITY
    await this.catchUp(maxWaitMs)
    return "done"
  }

  async #askLeaderToRescan(maxWaitMs: number, suspects: readonly string[]): Promise<ReindexOutcome> {
    const { signal } = this.#abort
    try {
      const areReindexed = reindexCheck(
        (path) => this.#project.reader()?.store.files.byPath(path)?.id,
        suspects,
      )
      if (!this.#askLeader(suspects)) return "none"
      // Without suspects, nothing shows whether the leader has finished.
      if (suspects.length === 0) return "pending"
      const until = performance.now() + maxWaitMs
      // Stops after an abort, because reader() would open the index of a closed project again.
      while (!signal.aborted && !areReindexed()) {
        if (performance.now() > until) return "pending"
        await Bun.sleep(POLL_MS)
      }
      return signal.aborted ? "pending" : "done"
    } catch (error) {
      log.debug("cannot read the progress of another process", { reason: String(error) })
      return "none"
    }
  }

  /** Repairs damaged index files, here or by asking the leader; waits at most `maxWaitMs`. */
  async repair(maxWaitMs: number): Promise<void> {
    const until = performance.now() + maxWaitMs
    this.#rescanDueAt = Number.NEGATIVE_INFINITY
    await this.catchUp(maxWaitMs)
    if (this.#indexer !== null || !this.#askLeader()) return
    try {
      while (performance.now() < until && this.#project.reader()?.isDamaged) await Bun.sleep(POLL_MS)
    } catch (error) {
      // The database itself is damaged: the query that follows handles that.
      if (!isDamage(error)) throw error
    }
  }

  /**
   * True during a burst: more than STORM_PATHS paths are waiting, or the run reading them has not finished.
   */
  get #isStorm(): boolean {
    const watch = this.#watch
    if (this.#running !== null) return this.#isAfterStorm
    if (watch === null || watch.dueInMs === null) return false
    return (watch.waiting ?? Number.POSITIVE_INFINITY) > STORM_PATHS
  }

  /** Before a query: starts a scan if the last one is old, and waits for a due or running scan. */
  async catchUp(maxWaitMs: number): Promise<void> {
    if (this.#indexer === null) return
    const isDue = performance.now() > this.#rescanDueAt || this.#haveGrammarsChanged()
    if (this.#running === null && isDue && !this.#isStorm) this.#start()
    const until = performance.now() + maxWaitMs
    for (;;) {
      const leftMs = until - performance.now()
      const dueInMs = this.#watch?.dueInMs ?? Number.POSITIVE_INFINITY
      if (leftMs <= 0) return
      if (this.#running !== null) await finishedOrLate(this.#running, leftMs)
      else if (dueInMs <= leftMs) await Bun.sleep(dueInMs + 1)
      else return
    }
  }

  /** True once after the user has added or removed a grammar. */
  #haveGrammarsChanged(): boolean {
    const stamp = packsStamp()
    if (stamp === this.#packsAt) return false
    this.#packsAt = stamp
    return true
  }

  async close(): Promise<void> {
    if (this.#abort.signal.aborted) return
    this.#poll[Symbol.dispose]()
    this.#lockWatch.close()
    if (this.#releaseTimer !== null) clearTimeout(this.#releaseTimer)
    this.#abort.abort()
    this.#watch?.close()
    this.#indexer?.endThreads()
    await this.#running
    await this.#embedding.finished()
    await this.#encoding.finished()
    this.#indexer?.close()
  }

  /** Becomes the leader if there is none, and starts indexing. */
  #takeLead(): void {
    if (this.#abort.signal.aborted) return
    if (this.#indexer !== null && !this.#indexer.leads && this.#running === null) this.#stepDown()
    if (this.#indexer !== null) {
      this.#handleReindexRequests(this.#indexer)
      if (this.#running === null) {
        this.#embedding.retry(this.#indexer)
        this.#encoding.goOn(this.#indexer)
      }
      return
    }
    if (!this.#lockWatch.isFree()) return
    try {
      this.#indexer = Indexer.take(this.#project)
      if (this.#indexer !== null) this.#lead(this.#indexer)
    } catch (error) {
      this.#fail(error)
    }
  }

  #lead(indexer: Indexer): void {
    const { root, config } = this.#project
    this.#watch = new Watch({
      root,
      debounceMs: config.performance.debounceMs,
      onBurst: () => indexer.prepare(),
      onDue: () => this.#start(true),
      onPolling: (reason) => log.warn("cannot watch folders; scanning again every few seconds", { reason }),
    })
    // The files of reindex requests that the previous leader did not handle are read again, too.
    for (const path of takeReindexRequests(indexer.folder) ?? []) this.#suspects.add(path)
    this.#start()
  }

  #stepDown(): void {
    if (this.#abort.signal.aborted) return
    log.warn("the index was replaced while in use; aman opens it again", {
      folder: this.#project.config.index.dir,
    })
    this.#watch?.close()
    this.#indexer?.close()
    // Otherwise the next database would share the reader's -shm file, which may have been replaced.
    this.#project.close()
    this.#watch = null
    this.#indexer = null
  }

  /**
   * Sends a reindex request to the leader. False if nothing can be written, in which case no process can be the
   * leader either.
   */
  #askLeader(suspects: readonly string[] = []): boolean {
    try {
      requestReindexIn(this.#project.indexPlace, suspects)
      return true
    } catch (error) {
      log.debug("the reindex request failed", { reason: String(error) })
      return false
    }
  }

  /**
   * Handles reindex requests: another process found edits that this one, the only writer, has not seen yet.
   */
  #handleReindexRequests(indexer: Indexer): void {
    if (this.#running !== null) return
    const suspects = takeReindexRequests(indexer.folder) ?? (isMarkedDamaged(indexer.folder) ? [] : null)
    if (suspects === null) return
    for (const path of suspects) this.#suspects.add(path)
    this.#start()
  }

  /** `hasEvents`: scan only the paths reported by the watch. */
  #start(hasEvents = false): void {
    if (this.#running !== null || this.#indexer === null || this.#abort.signal.aborted) return
    const hints = this.#watch?.take() ?? "everything"
    this.#isAfterStorm = hasEvents && (hints === "everything" || hints.size > STORM_PATHS)
    if (this.#releaseTimer !== null) clearTimeout(this.#releaseTimer)
    // A full scan trusts sizes and times, which may be unchanged for files that were just written.
    const written = hasEvents || hints === "everything" ? [] : [...hints]
    const suspects = hasEvents ? [] : [...written, ...this.#suspects]
    if (!hasEvents) this.#suspects.clear()
    this.#running = this.#run(this.#indexer, hasEvents ? hints : "everything", suspects)
  }

  async #run(indexer: Indexer, hints: Hints, suspects: readonly string[]): Promise<void> {
    let scanMs = 0
    let hasLost = false
    try {
      const run = await indexer.run({ signal: this.#abort.signal, inBackground: true, hints, suspects })
      scanMs = run.scanMs
      this.#failure = null
      this.#runs++
      this.#embedding.follow(indexer)
      this.#encoding.follow()
      if (run.changed + run.removed > 0)
        log.info("indexed", { changed: run.changed, removed: run.removed, ms: Math.round(run.durationMs) })
      this.#onRun(run)
      await this.#watch?.follow(indexer.seen!)
      indexer.noteWatchFailure(this.#watch?.watchFailure ?? null)
    } catch (error) {
      hasLost = !indexer.leads
      if (!hasLost) this.#fail(error)
    }
    this.#running = null
    // The next poll takes the lead again, and finds out what became of the index.
    if (hasLost) this.#stepDown()
    else this.#afterRun(indexer, hints, scanMs)
  }

  #afterRun(indexer: Indexer, near: Hints, scanMs: number): void {
    if (this.#abort.signal.aborted) return
    const { debounceMs } = this.#project.config.performance
    if (near === "everything" || this.#failure !== null) {
      const isTold = this.#watch?.watchFailure === null && this.#failure === null
      const agesMs = Math.max(
        debounceMs,
        isTold ? TRUST_MS : 0,
        SCAN_TIME_SHARE * scanMs * (isTold ? SCAN_TIME_SHARE : 1),
      )
      this.#rescanDueAt = performance.now() + agesMs
    }
    this.#releaseTimer = setTimeout(() => void indexer.endThreadsWhenIdle(), KEEP_THREADS_MS)
    this.#releaseTimer.unref()
    this.#watch?.rest(scanMs, SCAN_TIME_SHARE)
  }

  #fail(error: unknown): void {
    if (this.#abort.signal.aborted) return
    const message = messageOf(error)
    const failure = `the index is not being updated: ${message}`
    if (failure !== this.#failure) log.error("indexing failed", { error: message })
    this.#failure = failure
  }
}

/** Waits until `work` is done or the time is up. */
async function finishedOrLate(work: Promise<void>, maxWaitMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, maxWaitMs)
  })
  await Promise.race([work, timeUp])
  clearTimeout(timer)
}

type Embedding = Pick<Indexer, "embedConfigured" | "isConfiguredComplete">

/** Builds the configured embedder's space in the background of a server. */
export type EmbeddingJob = {
  /** Called after each index run: embeds new files. */
  readonly follow: (indexer: Embedding) => void
  /** Called periodically: retries a failed attempt once it is due. */
  readonly retry: (indexer: Embedding) => void
  readonly finished: () => Promise<void>
}

// A user who starts Ollama expects it to be found soon; each try costs a refused connection.
const RETRY_MS = 30_000
// Interval for detecting a new embedder, or another version of its model.
const CHECK_MS = 60_000

export function embeddingJob(signal: AbortSignal, now = () => performance.now()): EmbeddingJob {
  let running: Promise<void> | null = null
  let nextCheckAt = Number.NEGATIVE_INFINITY
  let hasFailed = false
  let loggedState: string | null = null

  const start = (indexer: Embedding) => {
    running = embedAll(indexer).finally(() => {
      running = null
    })
  }
  const embedAll = async (indexer: Embedding) => {
    try {
      const { embedder, failure } = await indexer.embedConfigured({ signal, isQuiet: true })
      hasFailed = failure !== null
      logState(
        failure?.message ?? (embedder === null ? null : `${embedder} has embedded all chunks`),
        hasFailed,
      )
    } catch (error) {
      hasFailed = true
      if (!(error instanceof AmanError && error.code === "INTERRUPTED")) logState(messageOf(error), true)
    }
    nextCheckAt = now() + (hasFailed ? RETRY_MS : CHECK_MS)
  }
  /** Logs a state once, until it changes. */
  const logState = (text: string | null, isBad: boolean) => {
    if (text !== null && text !== loggedState) log[isBad ? "warn" : "info"]("embedder", { state: text })
    loggedState = text
  }
  return {
    follow: (indexer) => {
      if (running !== null || signal.aborted) return
      if (now() >= nextCheckAt || (!hasFailed && !indexer.isConfiguredComplete)) start(indexer)
    },
    retry: (indexer) => {
      if (running === null && hasFailed && !signal.aborted && now() >= nextCheckAt) start(indexer)
    },
    finished: async () => {
      await running
    },
  }
}

/** Time without index runs after which new files are encoded, and after which a busy machine is tried again. */
const ENCODE_AFTER_MS = 5_000

/** Gives new files vectors of the encoder in the background of a server. */
function encodingJob(signal: AbortSignal) {
  let running: Promise<void> | null = null
  let isComplete = false
  let nextAt = 0
  const encode = async (indexer: Pick<Indexer, "encodeTexts">) => {
    isComplete = true
    try {
      if (!(await indexer.encodeTexts({ signal }))) isComplete = false
    } catch (error) {
      isComplete = false
      if (!(error instanceof AmanError && error.code === "INTERRUPTED"))
        log.warn("the project's texts were not encoded", { error: messageOf(error) })
    }
    nextAt = performance.now() + (isComplete ? 0 : CHECK_MS)
    running = null
  }
  return {
    /** Called after each index run. */
    follow: () => {
      isComplete = false
      nextAt = Math.max(nextAt, performance.now() + ENCODE_AFTER_MS)
    },
    /** Called periodically. */
    goOn: (indexer: Pick<Indexer, "encodeTexts">) => {
      if (running === null && !isComplete && !signal.aborted && performance.now() >= nextAt)
        running = encode(indexer)
    },
    finished: async () => {
      await running
    },
  }
}

export type WatchedRun = Pick<IndexerRun, "changed" | "removed"> & {
  readonly files: number
  readonly chunks: number
  readonly duration_ms: number
}

/**
 * Keeps the index up to date until the signal aborts; `onChange` is called after every run that changed
 * something.
 */
export async function watchProject(
  project: Project,
  signal: AbortSignal,
  onChange: (run: WatchedRun) => void,
): Promise<void> {
  const onRun = ({ changed, removed, durationMs }: IndexerRun) => {
    if (changed + removed === 0) return
    const { files, chunks } = project.reader()!.store.files.totals()
    onChange({ changed, removed, files, chunks, duration_ms: Math.round(durationMs) })
  }
  const updater = new IndexUpdater(project, { onRun })
  await aborted(signal)
  await updater.close()
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    // A pending promise alone does not keep the process alive.
    const alive = setInterval(() => {}, 2 ** 30)
    const end = () => {
      clearInterval(alive)
      resolve()
    }
    if (signal.aborted) end()
    else signal.addEventListener("abort", end, { once: true })
  })
}
