import { everyHalfSecond } from "../base/heartbeat.ts"
import { log } from "../base/log.ts"
import type { Hints } from "../indexing/hints.ts"
import { takeWanted, want } from "../indexing/wanted.ts"
import { Watch } from "../indexing/watch.ts"
import { LeadWatch } from "../store/lead.ts"
import { readAgain } from "./ask-leader.ts"
import { Indexer, type IndexerRun } from "./indexer.ts"
import type { Project } from "./open-project.ts"
import { otherWork } from "./other-work.ts"
import type { Mended } from "./search-project.ts"

// Where nothing tells of changes, a query looks at the files again when the last look is older than
// performance.debounce; where a look takes long, not more often than a tenth of the time. The same holds for looks
// at changes that never end.
const LOOK_SHARE = 10
// Some file systems, those of a network above all, tell nothing of what others do.
const TRUST_MS = 10_000
// Threads are kept for a while after a run: the next edit is likely to come soon.
const REST_MS = 20_000
const POLL_MS = 20
// More than somebody saves at once.
const STORM_PATHS = 50

export type Following = {
  /** After each run. */
  readonly onRun?: (run: IndexerRun) => void
}

/** Keeps the index of a project up to date in the background, whenever no other process does. Never throws. */
export class Follower {
  readonly #project: Project
  readonly #onRun: (run: IndexerRun) => void
  readonly #abort = new AbortController()
  readonly #other = otherWork(this.#abort.signal)
  readonly #poll: Disposable
  readonly #leadWatch: LeadWatch
  #indexer: Indexer | null = null
  #watch: Watch | null = null
  #running: Promise<void> | null = null
  #restTimer: ReturnType<typeof setTimeout> | null = null
  #lookAgainAt = Number.NEGATIVE_INFINITY
  #runs = 0
  /** Found to hold something else than was indexed; for the next look at everything. */
  readonly #suspects = new Set<string>()
  /** The run under way reads what a storm left. */
  #isAfterStorm = false
  #failure: string | null = null

  constructor(project: Project, { onRun = () => {} }: Following = {}) {
    this.#project = project
    this.#onRun = onRun
    this.#leadWatch = new LeadWatch(project.config.index.dir)
    // Whoever is not the leader asks whether it may be: takeover within two seconds of a death.
    this.#poll = everyHalfSecond(() => this.#takeLead())
    this.#takeLead()
  }

  /** This process writes the index. */
  get leads(): boolean {
    return this.#indexer !== null
  }

  /** At least one run is done. */
  get hasRun(): boolean {
    return this.#runs > 0
  }

  get isRunning(): boolean {
    return this.#running !== null
  }

  /** Why the index is not being updated, for a person. */
  get failure(): string | null {
    return this.#failure
  }

  /** Paths that were heard of and not looked at yet; null: any. */
  get waiting(): number | null {
    return this.#watch === null ? 0 : this.#watch.waiting
  }

  /**
   * Looks at everything now, at those paths whatever their size and time say, and waits so long for that at most.
   * `later` in a storm, which is one look when it is over, and where another process is asked and has not looked in
   * that time; `not` where nobody can be asked.
   */
  async lookAgain(patienceMs: number, suspects: readonly string[]): Promise<Mended> {
    if (this.#indexer === null) return this.#othersLook(patienceMs, suspects)
    for (const path of suspects) this.#suspects.add(path)
    if (this.#isStorm) return "later"
    this.#lookAgainAt = Number.NEGATIVE_INFINITY
    await this.catchUp(patienceMs)
    return "again"
  }

  async #othersLook(patienceMs: number, suspects: readonly string[]): Promise<Mended> {
    const { signal } = this.#abort
    try {
      const areRead = readAgain((path) => this.#project.reader()?.store.files.byPath(path)?.id, suspects)
      if (!this.#askLeader(suspects)) return "not"
      // Of no file in particular nothing tells that it was looked for.
      if (suspects.length === 0) return "later"
      const until = performance.now() + patienceMs
      // Who asks a project that is closed opens its index anew.
      while (!signal.aborted && !areRead()) {
        if (performance.now() > until) return "later"
        await Bun.sleep(POLL_MS)
      }
      return signal.aborted ? "later" : "again"
    } catch (error) {
      log.debug("what another process does cannot be followed", { reason: String(error) })
      return "not"
    }
  }

  /** Files of the index were found damaged: it is made whole here, or by who leads; waits so long for that at most. */
  async mend(patienceMs: number): Promise<void> {
    const until = performance.now() + patienceMs
    this.#lookAgainAt = Number.NEGATIVE_INFINITY
    await this.catchUp(patienceMs)
    if (this.#indexer !== null || !this.#askLeader()) return
    while (performance.now() < until && this.#project.reader()?.isDamaged) await Bun.sleep(POLL_MS)
  }

  /** So much changes now that a look would be old before it is done; or so much has, and is being read. */
  get #isStorm(): boolean {
    const watch = this.#watch
    if (this.#running !== null) return this.#isAfterStorm
    if (watch === null || watch.dueInMs === null) return false
    return (watch.waiting ?? Number.POSITIVE_INFINITY) > STORM_PATHS
  }

  /** Before a query: looks if the last look is old, and gives a look that is due or under way the time to finish. */
  async catchUp(patienceMs: number): Promise<void> {
    if (this.#indexer === null) return
    if (this.#running === null && performance.now() > this.#lookAgainAt && !this.#isStorm) this.#start()
    const until = performance.now() + patienceMs
    for (;;) {
      const leftMs = until - performance.now()
      const dueInMs = this.#watch?.dueInMs ?? Number.POSITIVE_INFINITY
      if (leftMs <= 0) return
      if (this.#running !== null) await finished(this.#running, leftMs)
      else if (dueInMs <= leftMs) await Bun.sleep(dueInMs + 1)
      else return
    }
  }

  async close(): Promise<void> {
    if (this.#abort.signal.aborted) return
    this.#poll[Symbol.dispose]()
    this.#leadWatch.close()
    if (this.#restTimer !== null) clearTimeout(this.#restTimer)
    this.#abort.abort()
    this.#watch?.close()
    this.#indexer?.rest()
    await this.#running
    await this.#other.finished()
    this.#indexer?.close()
  }

  /** Becomes the leader when nobody is, and indexes then. */
  #takeLead(): void {
    if (this.#abort.signal.aborted) return
    if (this.#indexer !== null && !this.#indexer.leads && this.#running === null) this.#stepDown()
    if (this.#indexer !== null) {
      this.#answerWants()
      if (this.#running === null) this.#other.retry(this.#indexer)
      return
    }
    if (!this.#leadWatch.isFree()) return
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
      onHeard: () => indexer.prepare(),
      onDue: () => this.#start(true),
      onPolling: (reason) => log.warn("cannot watch folders; looking again every few seconds", { reason }),
    })
    // What the last leader was asked for and did not come to.
    for (const path of takeWanted(config.index.dir) ?? []) this.#suspects.add(path)
    this.#start()
  }

  #stepDown(): void {
    this.#watch?.close()
    this.#indexer?.close()
    this.#watch = null
    this.#indexer = null
  }

  /** False where nothing can be written, so that nobody may lead either. */
  #askLeader(suspects: readonly string[] = []): boolean {
    try {
      want(this.#project.config.index.dir, new Date(), suspects)
      return true
    } catch (error) {
      log.debug("the leader was not asked", { reason: String(error) })
      return false
    }
  }

  /** Another process found edits that this one, which alone may write, has not looked for yet. */
  #answerWants(): void {
    if (this.#running !== null) return
    const suspects = takeWanted(this.#project.config.index.dir)
    if (suspects === null) return
    for (const path of suspects) this.#suspects.add(path)
    this.#start()
  }

  /** `isHeard`: only where the watch heard of something. */
  #start(isHeard = false): void {
    if (this.#running !== null || this.#indexer === null || this.#abort.signal.aborted) return
    const heard = this.#watch?.take() ?? "everything"
    this.#isAfterStorm = isHeard && (heard === "everything" || heard.size > STORM_PATHS)
    if (this.#restTimer !== null) clearTimeout(this.#restTimer)
    // A look at everything trusts sizes and times; of what was written to they may say nothing.
    const written = isHeard || heard === "everything" ? [] : [...heard]
    const suspects = isHeard ? [] : [...written, ...this.#suspects]
    if (!isHeard) this.#suspects.clear()
    this.#running = this.#run(this.#indexer, isHeard ? heard : "everything", suspects)
  }

  async #run(indexer: Indexer, near: Hints, suspects: readonly string[]): Promise<void> {
    let lookMs = 0
    try {
      const run = await indexer.run({ signal: this.#abort.signal, inBackground: true, near, suspects })
      lookMs = run.lookMs
      this.#failure = null
      this.#runs++
      this.#other.follow(indexer)
      if (run.changed + run.removed > 0)
        log.info("indexed", { changed: run.changed, removed: run.removed, ms: Math.round(run.durationMs) })
      this.#onRun(run)
      await this.#watch?.follow(indexer.seen!)
      indexer.noteBlindness(this.#watch?.blindness ?? null)
    } catch (error) {
      this.#fail(error)
    }
    this.#running = null
    this.#afterRun(indexer, near, lookMs)
  }

  #afterRun(indexer: Indexer, near: Hints, lookMs: number): void {
    if (this.#abort.signal.aborted) return
    const { debounceMs } = this.#project.config.performance
    if (near === "everything" || this.#failure !== null) {
      const isTold = this.#watch?.blindness === null && this.#failure === null
      const agesMs = Math.max(
        debounceMs,
        isTold ? TRUST_MS : 0,
        LOOK_SHARE * lookMs * (isTold ? LOOK_SHARE : 1),
      )
      this.#lookAgainAt = performance.now() + agesMs
    }
    this.#restTimer = setTimeout(() => void indexer.restInTurn(), REST_MS)
    this.#restTimer.unref()
    this.#watch?.rest(lookMs, LOOK_SHARE)
  }

  #fail(error: unknown): void {
    if (this.#abort.signal.aborted) return
    const message = error instanceof Error ? error.message : String(error)
    const failure = `the index is not being updated: ${message}`
    if (failure !== this.#failure) log.error("indexing failed", { error: message })
    this.#failure = failure
  }
}

/** Or so long, whichever comes first. */
async function finished(work: Promise<void>, patienceMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs)
  })
  await Promise.race([work, patience])
  clearTimeout(timer)
}
