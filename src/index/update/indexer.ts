/*
 * The write side of an index, which only the leader has. `run`: 1. rebuilds the index if it is damaged or of another
 * version; 2. `#pass` scans the project, reads what changed, merges and embeds; 3. if the database was damaged or a
 * file of the index vanished during the pass, the pass is repeated once. Runs and merges never overlap (`#inTurn`).
 */

import { AmanError, type Config, type OpenFolder } from "../../base/index.ts"
import { isDamage, LeaderLock, openStore, type Store, storeError } from "../../store/index.ts"
import type { ScanResult } from "../../tree/index.ts"
import {
  type ChangeScan,
  detectChanges,
  detectChangesIn,
  detectChangesInWorker,
} from "../changes/detect-changes.ts"
import { CACHE_FILE, configuredSpace } from "../embedding/embed-configured.ts"
import { encodeProject } from "../encoder/encode-project.ts"
import { encodingStopped } from "../encoder/encode-texts.ts"
import { emptyIndexFolder, ensureIndexFolder, indexPath, takeDamagedMark } from "../index-folder.ts"
import {
  forgetDamaged,
  forgetDamagedUses,
  isOfAnotherVersion,
  readState,
  writeState,
} from "../index-state.ts"
import type { Project } from "../open/open-project.ts"
import { requireFolder } from "../open/root.ts"
import { thisThread } from "../pipeline/perform-task.ts"
import { adoptIndex, isUsable, type RunContext, type RunReport, runIndex } from "../pipeline/run.ts"
import { WorkerPool } from "../pipeline/worker-pool.ts"
import type { Hints } from "../watch/watch.ts"
import { buildConfiguredSpace, type ConfiguredOutcome, reportDamage } from "./build-configured-space.ts"
import { claimIndex, logForeignIndex, reportLink } from "./index-trust.ts"

export type IndexerRun = RunReport & {
  readonly scanMs: number
  readonly keywordReadyMs: number
  readonly durationMs: number
}

// Scanning this many files takes some ten milliseconds.
const QUICK_FILES = 3_000
// A project of at most this many files and bytes is indexed in this thread, in less time than a worker takes to start.
const TINY = { files: 32, bytes: 64 << 10 }
// If more paths than this changed after the snapshot, reading them costs as much as a new snapshot.
const MAX_AHEAD = 1_000

export type RunOptions = {
  readonly signal?: AbortSignal | undefined
  /** Scans in another thread, so that this one stays responsive. */
  readonly inBackground?: boolean
  /** Paths that may have changed since the last run; absent: any path. */
  readonly hints?: Hints
  /** Result of a scan already made against the index as it is. */
  readonly scan?: ChangeScan | undefined
  /** Paths to read again even if their size and time are unchanged. */
  readonly suspects?: readonly string[]
  /**
   * Lets SQLite check the whole file first, which takes 0.1 s for 11,000 files, and asks a chunker program again for the
   * files for which it failed.
   */
  readonly isThorough?: boolean
}

export type ConfiguredOptions = {
  readonly signal?: AbortSignal | undefined
  readonly pause?: () => Promise<void>
  /** Reports no progress: a server does not count computing a configured embedder's vectors as indexing. */
  readonly isQuiet?: boolean
}

/** Write side of one project's index; exists only in the leader. */
export class Indexer {
  readonly #project: Project
  readonly #lead: LeaderLock
  readonly #id: number
  readonly #folder: OpenFolder
  /** The project's settings, with the opened index folder as index.dir. */
  readonly #config: Config
  #store: Store
  #pool: WorkerPool | null = null
  #turn: Promise<unknown> = Promise.resolve()
  /** The file list of the last completed run; null until a run has completed. */
  #seen: (() => ScanResult) | null = null

  private constructor(
    project: Project,
    folder: OpenFolder,
    lead: LeaderLock,
    id: number,
    pool: WorkerPool | null,
  ) {
    const { config } = project
    this.#project = project
    this.#folder = folder
    this.#config = { ...config, index: { ...config.index, dir: folder.at } }
    this.#lead = lead
    this.#store = openSound(folder.at, id)
    this.#id = id
    this.#pool = pool
  }

  /**
   * Takes the lead; null if another process has it. A damaged index is deleted and rebuilt. Running threads
   * of `pool` are used and closed with the indexer. Throws IO if a link or a file stands in place of the
   * index folder.
   */
  static take(project: Project, pool: WorkerPool | null = null): Indexer | null {
    // Otherwise the folder of a deleted project, such as a removed work tree, would be created again for its
    // index.
    requireFolder(project.root)
    const place = project.indexPlace
    const folder = ensureIndexFolder(place)
    let lead: LeaderLock | null = null
    try {
      lead = LeaderLock.take(folder)
      if (lead !== null) {
        logForeignIndex(place)
        reportLink(place)
        return new Indexer(project, folder, lead, claimIndex(place, folder.at), pool)
      }
    } catch (error) {
      const isLost = lead !== null && !lead.held && isAboutFiles(error)
      lead?.release()
      folder[Symbol.dispose]()
      throw isLost ? leadLost() : error
    }
    folder[Symbol.dispose]()
    return null
  }

  /** File list of the last run; null before the first. */
  get seen(): ScanResult | null {
    return this.#seen?.() ?? null
  }

  /** Stores why this process gets no change events, for `status` in other processes; null if it gets them. */
  noteWatchFailure(watchFailure: string | null): void {
    if (readState(this.#store).watchFailure !== watchFailure) writeState(this.#store, { watchFailure })
  }

  /** Throws IO if something else stands in the folder's place, and INDEX_BUSY if the lead was lost. */
  #requireLead(): void {
    this.#folder.requireInPlace()
    if (!this.leads) throw leadLost()
  }

  /** Starts a parser thread for a change that is expected soon. */
  prepare(): void {
    this.#workers().warm(1)
  }

  /**
   * False once the lock, the index file or their folder was removed or replaced; the next run would throw.
   */
  get leads(): boolean {
    return this.#lead.held && this.#store.isInPlace
  }

  /** Path of the opened index folder, for opening files in it. */
  get folder(): string {
    return this.#folder.at
  }

  /** Number of indexed files. */
  get files(): number {
    return this.#store.files.totals().files
  }

  /** One run: scan, read what changed, merge, embed. A damaged database is rebuilt. */
  run(options: RunOptions = {}): Promise<IndexerRun> {
    return this.#inTurn(async () => {
      this.#requireLead()
      if (takeDamagedMark(this.folder) || (options.isThorough && !isSound(this.#store))) {
        reportDamage("index.db")
        this.rebuild()
      } else if (isOfAnotherVersion(this.#store)) this.rebuild()
      try {
        return await this.#pass(options)
      } catch (error) {
        this.#recover(error)
        return await this.#pass(options)
      }
    })
  }

  /** Prepares a second pass after a failed one; throws if another pass would fail, too. */
  #recover(error: unknown): void {
    this.#folder.requireInPlace()
    // Files that another process removed look like a failing disk.
    if (isAboutFiles(error)) this.#requireLead()
    if (isDamage(error)) {
      reportDamage("index.db")
      this.rebuild()
    } else if (!hasVanished(error)) throw error
  }

  /** Completes the configured embedder's space; index runs may come in between. */
  embedConfigured(options: ConfiguredOptions = {}): Promise<ConfiguredOutcome> {
    const store = this.#store
    return buildConfiguredSpace({
      ...this.#context(options, () => {}),
      ...(options.isQuiet ? { onProgress: () => {} } : {}),
      isCurrent: () => this.#store === store,
      exclusively: (act) => this.#inTurn(act),
      pause: options.pause ?? (async () => {}),
    })
  }

  /** Gives files and names vectors of the encoder; see `encodeProject`. Index runs may come in between. */
  encodeTexts({ signal, pause = async () => {} }: ConfiguredOptions = {}): Promise<boolean> {
    const store = this.#store
    return encodeProject({
      ...this.#context({}, () => {}),
      pause,
      onDamage: () => reportDamage(CACHE_FILE),
      check: () => {
        if (signal?.aborted || !this.#lead.held || this.#store !== store) throw encodingStopped()
      },
    })
  }

  /** False if files lack vectors in the configured space; true if there is no such space. */
  get isConfiguredComplete(): boolean {
    const space = configuredSpace(this.#store)
    return space === null || this.#store.embedded.isWhole(space.id)
  }

  /** Runs `act` after all earlier runs and merges, because each deletes the derived files that it does not know. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(act)
    this.#turn = turn.catch(() => {})
    return turn
  }

  /** Deletes the index; the next run rebuilds it from the files. */
  rebuild(): void {
    this.#seen = null
    this.#store.close()
    this.#store = openNew(this.#folder.at, this.#id)
  }

  /** True if nothing has been indexed yet. */
  get isNew(): boolean {
    return readState(this.#store).state === "missing"
  }

  /**
   * Replaces the index by files that `fetch` writes into the folder, which must be an index with this id. If that fails,
   * the index is empty, and the error is thrown.
   */
  adopt(fetch: (folder: string, id: number) => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      this.#requireLead()
      this.#seen = null
      this.#store.close()
      const folder = this.#folder.at
      emptyIndexFolder(folder)
      try {
        await fetch(folder, this.#id)
        this.#store = openStore(indexPath(folder), { id: this.#id })
      } catch (error) {
        this.#store = openNew(folder, this.#id)
        throw error
      }
      adoptIndex({ store: this.#store, config: this.#config })
    })
  }

  async #pass(options: RunOptions): Promise<IndexerRun> {
    const started = performance.now()
    let keywordReadyMs = 0
    const { onProgress } = this.#project
    if (options.isThorough) this.#retryDivision()
    this.#suspect(options.suspects ?? [])
    for (const file of forgetDamaged(this.#store, this.#folder.at)) reportDamage(file)
    const usable = isUsable({ store: this.#store, config: this.#config })
    // All files will be parsed, so that a worker can be started before the scan.
    if (!usable && options.inBackground) this.#workers().warm(1)
    onProgress({ phase: "scan", done: 0, total: 0 })
    const scan = await this.#scan(usable, options)
    const scanMs = performance.now() - started
    this.#seen = null
    using pool = !options.inBackground && isTiny(scan) ? new WorkerPool(1, undefined, thisThread) : null
    const context = this.#context(options, () => {
      keywordReadyMs = performance.now() - started
    })
    const report = await runIndex(pool === null ? context : { ...context, pool: () => pool }, scan)
    this.#seen = scan.result
    return { ...report, scanMs, keywordReadyMs, durationMs: performance.now() - started }
  }

  #suspect(paths: readonly string[]): void {
    const damaged = forgetDamagedUses(this.#store, paths)
    if (damaged.length > 0) reportDamage("index.db (uses)")
    const toReread = [...paths.filter((path) => this.#store.files.byPath(path) !== null), ...damaged]
    if (toReread.length === 0) return
    writeState(this.#store, { ahead: [...new Set([...readState(this.#store).ahead, ...toReread])] })
  }

  /** Has the files read again for which the user's chunker program failed. */
  #retryDivision(): void {
    const failed = this.#store.divided.all().filter(({ failure }) => failure !== null)
    if (failed.length === 0 || this.#project.config.chunker.program === "") return
    this.#store.transaction(() => this.#store.files.forgetHashes(failed.map(({ fileId }) => fileId)))
    this.#suspect(failed.map(({ path }) => path))
  }

  #context({ signal }: RunOptions, onKeywordReady: () => void): RunContext {
    const { root, onProgress } = this.#project
    return {
      root,
      config: this.#config,
      store: this.#store,
      lead: this.#lead,
      pool: () => this.#workers(),
      signal,
      onProgress: (phase, done, total) => onProgress({ phase, done, total }),
      onKeywordReady,
      now: Date.now,
    }
  }

  /** Ends the threads; the next run starts new ones. */
  endThreads(): void {
    this.#pool?.close()
    this.#pool = null
  }

  /** Ends the threads once no run is in progress. */
  endThreadsWhenIdle(): Promise<void> {
    return this.#inTurn(async () => this.endThreads())
  }

  close(): void {
    this.endThreads()
    this.#store.close()
    this.#lead.release()
    this.#folder.closeLate()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /**
   * Scans the project. A server uses a worker for many files: at 50,000 a scan takes up to a second, during
   * which it could not answer.
   */
  async #scan(
    usable: boolean,
    { inBackground = false, hints = "everything", scan }: RunOptions,
  ): Promise<ChangeScan> {
    if (scan !== undefined && usable) return scan
    const { root, config } = this.#project
    const isAhead = readState(this.#store).ahead.length > MAX_AHEAD
    if (hints !== "everything" && usable && this.#seen !== null && !isAhead) {
      const nearby = detectChangesIn(root, config, this.#seen(), hints)
      if (nearby !== null) return nearby
    }
    if (!inBackground || (usable && this.files <= QUICK_FILES))
      return detectChanges(root, config, this.#store, usable)
    return detectChangesInWorker(this.#workers(), { root, config, folder: this.#folder.at, usable })
  }

  #workers(): WorkerPool {
    this.#pool ??= new WorkerPool(this.#project.config.index.workers)
    return this.#pool
  }
}

function isTiny({ total, result }: ChangeScan): boolean {
  return total <= TINY.files && result().files.reduce((sum, { size }) => sum + size, 0) <= TINY.bytes
}

/** True for a failed operation on a file, by SQLite or by ourselves. */
function isAboutFiles(error: unknown): boolean {
  const translated = storeError(error, "")
  return translated instanceof AmanError && (translated.code === "IO" || translated.code === "INDEX_CORRUPT")
}

/**
 * True if a file of the index was removed before it could be written or read. An earlier leader whose lock was removed
 * deletes files that it does not know before it notices.
 */
function hasVanished(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  return code === "ENOENT" || (code === "IO" && cause?.code === "ENOENT")
}

function leadLost(): AmanError {
  return new AmanError("INDEX_BUSY", "the index or its lock file was removed or replaced", {
    hint: "try again",
  })
}

function isSound(store: Store): boolean {
  try {
    return store.isSound()
  } catch (error) {
    if (!isDamage(error)) throw error
    return false
  }
}

function openSound(folder: string, id: number): Store {
  try {
    return openStore(indexPath(folder), { id })
  } catch (error) {
    const isForeign = error instanceof AmanError && error.code === "INDEX_FOREIGN"
    if (!isForeign && !isDamage(error)) throw error
    if (!isForeign) reportDamage("index.db")
  }
  return openNew(folder, id)
}

function openNew(folder: string, id: number): Store {
  emptyIndexFolder(folder)
  return openStore(indexPath(folder), { id })
}
