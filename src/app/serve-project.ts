import { AmanError } from "../base/errors.ts"
import { log } from "../base/log.ts"
import { wantedAt } from "../indexing/wanted.ts"
import type { IndexProgress, ReadAnswer, SearchAnswer, SearchRequest, StatusAnswer } from "./answers.ts"
import { type GrepAnswer, type GrepQuestion, grepAnswer } from "./grep-answer.ts"
import { Indexer } from "./indexer.ts"
import { type ListedFile, listFiles } from "./list-files.ts"
import { openProject, type Project, type ProjectOptions } from "./open-project.ts"
import { type OtherWork, otherWork } from "./other-work.ts"
import { type ReadRequest, readFile } from "./read-file.ts"
import { searchProject } from "./search-project.ts"
import { projectStatus } from "./status-project.ts"

/** A project behind a server: indexed in the background, answering from what is there. Never throws. */
export function serveProject(options: ProjectOptions): ServedProject {
  return new ServedProject(options)
}

// A query looks at the files again when the last look is older than performance.debounce; where a look takes long,
// not more often than a tenth of the time.
const LOOK_SHARE = 10
// A query waits this long for a look to finish, since most do; and this long where there is nothing to answer from
// yet, or what there is turned out stale. Then it answers from what is there.
const LOOK_PATIENCE_MS = 60
const PATIENCE_MS = 800
// Threads are kept for a while after a run: the next edit is likely to come soon.
const REST_MS = 20_000
// Runs over fewer files are over before anybody has read of them.
const WORTH_TELLING = 100
// Whoever is not the leader asks this often whether it may be: takeover within two seconds of a death.
const POLL_MS = 500

export class ServedProject {
  readonly #project: Project | AmanError
  #indexer: Indexer | null = null
  #running: Promise<void> | null = null
  #progress: IndexProgress | null = null
  #lookAgainAt = Number.NEGATIVE_INFINITY
  #runs = 0
  #lookMs = 0
  #debounceMs = 0
  #wantedAt = 0
  #restTimer: ReturnType<typeof setTimeout> | null = null
  #poll: ReturnType<typeof setInterval> | null = null
  #failure: string | null = null
  readonly #other: OtherWork
  readonly #abort = new AbortController()

  constructor(options: ProjectOptions) {
    this.#other = otherWork(this.#abort.signal)
    this.#project = open({ ...options, onProgress: (progress) => this.#report(progress, options) })
    if (this.#project instanceof AmanError) return
    this.#debounceMs = this.#project.config.performance.debounceMs
    this.#poll = setInterval(() => this.#takeLead(), POLL_MS)
    this.#poll.unref()
    this.#takeLead()
  }

  async search(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer> {
    const project = this.#open()
    const isReady = project.reader() !== null && this.#runs > 0
    await this.#catchUp(isReady ? LOOK_PATIENCE_MS : PATIENCE_MS)
    const answer = await searchProject(project, request, {
      refresh: false,
      signal,
      onStale: async () => {
        this.#lookAgainAt = Number.NEGATIVE_INFINITY
        await this.#catchUp(PATIENCE_MS)
        return true
      },
    })
    return this.#failure === null ? answer : { ...answer, notices: [...answer.notices, this.#failure] }
  }

  /** Reads the files as they are; no index is needed. */
  async grep(question: GrepQuestion, signal?: AbortSignal): Promise<GrepAnswer> {
    return grepAnswer(this.#open(), question, signal)
  }

  async read(request: ReadRequest): Promise<ReadAnswer> {
    return readFile(this.#open(), request)
  }

  get root(): string {
    return this.#open().root
  }

  /** Indexed files in the order of their paths. */
  files(after: string, limit: number): ListedFile[] {
    return listFiles(this.#open(), after, limit)
  }

  async status(): Promise<StatusAnswer> {
    const status = await projectStatus(this.#open(), this.#progress)
    return this.#failure === null ? status : { ...status, notices: [...status.notices, this.#failure] }
  }

  async close(): Promise<void> {
    if (this.#abort.signal.aborted) return
    if (this.#poll !== null) clearInterval(this.#poll)
    if (this.#restTimer !== null) clearTimeout(this.#restTimer)
    this.#abort.abort()
    this.#indexer?.rest()
    await this.#running
    await this.#other.finished()
    this.#indexer?.close()
    if (!(this.#project instanceof AmanError)) this.#project.close()
  }

  #open(): Project {
    if (this.#project instanceof AmanError) throw this.#project
    return this.#project
  }

  /** Becomes the leader when nobody is, and indexes then. */
  #takeLead(): void {
    if (this.#project instanceof AmanError || this.#abort.signal.aborted) return
    if (this.#indexer !== null && !this.#indexer.leads && this.#running === null) this.#stepDown()
    if (this.#indexer !== null) {
      this.#answerWants(this.#project)
      if (this.#running === null) this.#other.retry(this.#indexer)
      return
    }
    try {
      this.#indexer = Indexer.take(this.#project)
      if (this.#indexer !== null) this.#start()
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Another process found edits that this one, which alone may write, has not looked for yet. */
  #answerWants(project: Project): void {
    const at = wantedAt(project.config.index.dir)
    if (at === this.#wantedAt || this.#running !== null) return
    this.#wantedAt = at
    this.#start()
  }

  #stepDown(): void {
    this.#indexer?.close()
    this.#indexer = null
  }

  #start(): void {
    if (this.#running !== null || this.#indexer === null) return
    const indexer = this.#indexer
    if (this.#restTimer !== null) clearTimeout(this.#restTimer)
    this.#running = indexer
      .run({ signal: this.#abort.signal, inBackground: true })
      .then((run) => {
        this.#failure = null
        this.#runs++
        this.#other.follow(indexer)
        this.#lookMs = run.lookMs
        if (run.changed + run.removed > 0)
          log.info("indexed", { changed: run.changed, removed: run.removed, ms: Math.round(run.durationMs) })
      })
      .catch((error) => this.#fail(error))
      .finally(() => {
        this.#running = null
        this.#progress = null
        this.#lookAgainAt = performance.now() + Math.max(this.#debounceMs, LOOK_SHARE * this.#lookMs)
        this.#restTimer = setTimeout(() => void indexer.restInTurn(), REST_MS)
        this.#restTimer.unref()
      })
  }

  /** Before a query: look at the files again if the last look is old, and give a short run the time to finish. */
  async #catchUp(patienceMs: number): Promise<void> {
    if (this.#indexer === null) return
    if (this.#running === null && performance.now() > this.#lookAgainAt) this.#start()
    if (this.#running === null) return
    const patience = new AbortController()
    await Promise.race([this.#running, sleep(patienceMs, patience.signal)])
    patience.abort()
  }

  #report(progress: IndexProgress, options: ProjectOptions): void {
    if (progress.phase !== this.#progress?.phase && progress.total >= WORTH_TELLING) {
      log.info("indexing", { phase: progress.phase, total: progress.total })
    }
    this.#progress = progress
    options.onProgress?.(progress)
  }

  #fail(error: unknown): void {
    if (this.#abort.signal.aborted) return
    const message = error instanceof Error ? error.message : String(error)
    const failure = `the index is not being updated: ${message}`
    if (failure !== this.#failure) log.error("indexing failed", { error: message })
    this.#failure = failure
  }
}

function open(options: ProjectOptions): Project | AmanError {
  try {
    return openProject(options)
  } catch (error) {
    if (error instanceof AmanError) return error
    return new AmanError("IO", error instanceof Error ? error.message : String(error), { cause: error })
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
