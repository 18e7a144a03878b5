import { AmanError } from "../base/errors.ts"
import { forgetDamaged, forgetDamagedUses } from "../indexing/forget-damaged.ts"
import type { Hints } from "../indexing/hints.ts"
import { emptyIndexFolder, ensureIndexFolder, indexPath } from "../indexing/index-folder.ts"
import { isOfAnotherVersion, readState, writeState } from "../indexing/index-state.ts"
import { type Look, lookAt, lookNearby } from "../indexing/look.ts"
import { lookInWorker } from "../indexing/look-in-worker.ts"
import { otherSpace } from "../indexing/other-space.ts"
import { isUsable, type RunContext, type RunReport, runIndex } from "../indexing/run.ts"
import type { ScanResult } from "../indexing/scan-result.ts"
import { WorkerPool } from "../indexing/worker-pool.ts"
import { Lead } from "../store/lead.ts"
import { openStore } from "../store/open.ts"
import { isDamage } from "../store/sqlite-error.ts"
import type { Store } from "../store/store.ts"
import { claimIndex } from "./index-trust.ts"
import type { Project } from "./open-project.ts"
import { makeOtherSpace, type OtherOutcome } from "./other-space.ts"
import { reportTheirs } from "./own-index-dir.ts"
import { reportDamage } from "./report-damage.ts"
import { requireFolder } from "./root.ts"

export type IndexerRun = RunReport & {
  readonly lookMs: number
  readonly keywordReadyMs: number
  readonly durationMs: number
}

// As many files are looked at in some ten milliseconds.
const QUICK_FILES = 3_000
// From here on what a snapshot does not know costs as much as a new one.
const MOST_AHEAD = 1_000

export type RunOptions = {
  readonly signal?: AbortSignal | undefined
  /** Leaves this thread free to answer. */
  readonly inBackground?: boolean
  /** Where something may have changed since the last run; absent: anywhere. */
  readonly near?: Hints
  /** What was found by who looked already, at the index as it is. */
  readonly look?: Look | undefined
  /** Paths that are read again though neither their size nor their time speaks of a change. */
  readonly suspects?: readonly string[]
}

export type OtherOptions = {
  readonly signal?: AbortSignal | undefined
  readonly pause?: () => Promise<void>
  /** Reports no progress: a server is not indexing while it does this. */
  readonly isQuiet?: boolean
}

/** The write side of one project, held by whoever leads. */
export class Indexer {
  readonly #project: Project
  readonly #lead: Lead
  readonly #id: number
  #store: Store
  #pool: WorkerPool | null = null
  #turn: Promise<unknown> = Promise.resolve()
  /** The project as the index shows it; null until a run has completed. */
  #seen: (() => ScanResult) | null = null

  private constructor(project: Project, lead: Lead, store: Store, id: number, pool: WorkerPool | null) {
    this.#project = project
    this.#lead = lead
    this.#store = store
    this.#id = id
    this.#pool = pool
  }

  /**
   * Null where another process leads this index. A damaged index is removed and made anew. Threads of `pool` that have
   * come up already are used, and ended with it.
   */
  static take(project: Project, pool: WorkerPool | null = null): Indexer | null {
    const indexDir = project.config.index.dir
    // Whoever removed a project, a work tree above all, must not find its folder made again for an index.
    requireFolder(project.root)
    ensureIndexFolder(indexDir)
    const lead = Lead.take(indexDir)
    if (lead === null) return null
    try {
      const place = { root: project.root, dir: indexDir }
      reportTheirs(place)
      const id = claimIndex(place)
      return new Indexer(project, lead, openSound(indexDir, id), id, pool)
    } catch (error) {
      lead.release()
      throw error
    }
  }

  /** The project as the last run saw it; null before the first. */
  get seen(): ScanResult | null {
    return this.#seen?.() ?? null
  }

  /** Remembers why nothing tells this process of changes, for `status` of another; null where something does. */
  noteBlindness(blindness: string | null): void {
    if (readState(this.#store).blindness !== blindness) writeState(this.#store, { blindness })
  }

  /** Has a parser ready for a change that is being waited for. */
  prepare(): void {
    this.#workers().warm(1)
  }

  /** False once somebody removed the lock file; the next run would refuse. */
  get leads(): boolean {
    return this.#lead.held
  }

  /** How many the index has. */
  get files(): number {
    return this.#store.files.totals().files
  }

  /** One pass: look at the files, read what changed, fold, embed. A database found damaged is made anew. */
  run(options: RunOptions = {}): Promise<IndexerRun> {
    return this.#inTurn(async () => {
      if (isOfAnotherVersion(this.#store)) this.rebuild()
      try {
        return await this.#pass(options)
      } catch (error) {
        if (!isDamage(error)) throw error
        reportDamage("index.db")
        this.rebuild()
        return await this.#pass(options)
      }
    })
  }

  /** Makes what is missing of the configured embedder's space; runs of the index may come in between. */
  embedOther(options: OtherOptions = {}): Promise<OtherOutcome> {
    const store = this.#store
    return makeOtherSpace({
      ...this.#context(options, () => {}),
      ...(options.isQuiet ? { onProgress: () => {} } : {}),
      isCurrent: () => this.#store === store,
      exclusively: (act) => this.#inTurn(act),
      pause: options.pause ?? (async () => {}),
    })
  }

  /** False where files lack vectors in the space beside the built-in one; true where there is no such space. */
  get isOtherWhole(): boolean {
    const space = otherSpace(this.#store)
    return space === null || this.#store.embedded.isWhole(space.id)
  }

  /** Runs and folds follow one another: each sweeps away derived files that it does not know. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(act)
    this.#turn = turn.catch(() => {})
    return turn
  }

  /** Forgets the index; the next run makes it from the files. */
  rebuild(): void {
    this.#seen = null
    this.#store.close()
    this.#store = openNew(this.#project.config.index.dir, this.#id)
  }

  async #pass(options: RunOptions): Promise<IndexerRun> {
    const started = performance.now()
    let keywordReadyMs = 0
    const { onProgress } = this.#project
    const context = this.#context(options, () => {
      keywordReadyMs = performance.now() - started
    })
    this.#suspect(options.suspects ?? [])
    for (const file of forgetDamaged(this.#store, this.#project.config.index.dir)) reportDamage(file)
    const usable = isUsable(context)
    // Started early: the threads come up while this one looks at the files.
    if (!usable) this.#workers().warm()
    onProgress({ phase: "scan", done: 0, total: 0 })
    const look = await this.#look(usable, options)
    const lookMs = performance.now() - started
    this.#seen = null
    const report = await runIndex(context, look)
    this.#seen = look.scan
    return { ...report, lookMs, keywordReadyMs, durationMs: performance.now() - started }
  }

  #suspect(paths: readonly string[]): void {
    const damaged = forgetDamagedUses(this.#store, paths)
    if (damaged.length > 0) reportDamage("index.db (uses)")
    const known = [...paths.filter((path) => this.#store.files.byPath(path) !== null), ...damaged]
    if (known.length === 0) return
    writeState(this.#store, { ahead: [...new Set([...readState(this.#store).ahead, ...known])] })
  }

  #context({ signal }: RunOptions, onKeywordReady: () => void): RunContext {
    const { root, config, onProgress } = this.#project
    return {
      root,
      config,
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
  rest(): void {
    this.#pool?.close()
    this.#pool = null
  }

  /** The same once nothing is under way. */
  restInTurn(): Promise<void> {
    return this.#inTurn(async () => this.rest())
  }

  close(): void {
    this.rest()
    this.#store.close()
    this.#lead.release()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** A server looks at many files from a worker: at 50,000 it takes up to a second in which it could not answer. */
  async #look(
    usable: boolean,
    { inBackground = false, near = "everything", look }: RunOptions,
  ): Promise<Look> {
    if (look !== undefined && usable) return look
    const { root, config } = this.#project
    const isAhead = readState(this.#store).ahead.length > MOST_AHEAD
    if (near !== "everything" && usable && this.#seen !== null && !isAhead) {
      const nearby = lookNearby(root, config, this.#seen(), near)
      if (nearby !== null) return nearby
    }
    if (!inBackground || (usable && this.files <= QUICK_FILES))
      return lookAt(root, config, this.#store, usable)
    return lookInWorker(this.#workers(), { root, config, usable })
  }

  #workers(): WorkerPool {
    this.#pool ??= new WorkerPool(this.#project.config.index.workers)
    return this.#pool
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
