import { AmanError } from "../base/errors.ts"
import { log } from "../base/log.ts"
import type { IndexProgress, ReadAnswer, SearchAnswer, SearchRequest, StatusAnswer } from "./answers.ts"
import { Indexer } from "./indexer.ts"
import { openProject, type Project, type ProjectOptions } from "./open-project.ts"
import { type ReadRequest, readFile } from "./read-file.ts"
import { searchProject } from "./search-project.ts"
import { projectStatus } from "./status-project.ts"

/** A project behind a server: indexed in the background, answering from what is there. Never throws. */
export function serveProject(options: ProjectOptions): ServedProject {
  return new ServedProject(options)
}

// How old a look at the files may be before a query looks again: below what a person notices as stale.
const FRESH_MS = 300
// A query waits this long for the index to catch up, then answers from what is there.
const PATIENCE_MS = 800
// Whoever is not the leader asks this often whether it may be: takeover within two seconds of a death.
const POLL_MS = 500

export class ServedProject {
  readonly #project: Project | AmanError
  #indexer: Indexer | null = null
  #running: Promise<void> | null = null
  #progress: IndexProgress | null = null
  #lastRun = Number.NEGATIVE_INFINITY
  #poll: ReturnType<typeof setInterval> | null = null
  #failure: string | null = null
  readonly #abort = new AbortController()

  constructor(options: ProjectOptions) {
    this.#project = open({ ...options, onProgress: (progress) => this.#report(progress, options) })
    if (this.#project instanceof AmanError) return
    this.#poll = setInterval(() => this.#takeLead(), POLL_MS)
    this.#poll.unref()
    this.#takeLead()
  }

  async search(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer> {
    const project = this.#open()
    await this.#catchUp()
    const answer = await searchProject(project, request, {
      refresh: false,
      signal,
      onStale: async () => {
        this.#lastRun = Number.NEGATIVE_INFINITY
        await this.#catchUp()
        return true
      },
    })
    return this.#failure === null ? answer : { ...answer, notices: [...answer.notices, this.#failure] }
  }

  async read(request: ReadRequest): Promise<ReadAnswer> {
    return readFile(this.#open(), request)
  }

  async status(): Promise<StatusAnswer> {
    const status = await projectStatus(this.#open(), this.#progress)
    return this.#failure === null ? status : { ...status, notices: [...status.notices, this.#failure] }
  }

  async close(): Promise<void> {
    if (this.#poll !== null) clearInterval(this.#poll)
    this.#abort.abort()
    this.#indexer?.rest()
    await this.#running
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
    if (this.#indexer !== null) return
    try {
      this.#indexer = Indexer.take(this.#project)
      if (this.#indexer !== null) this.#start()
    } catch (error) {
      this.#fail(error)
    }
  }

  #stepDown(): void {
    this.#indexer?.close()
    this.#indexer = null
  }

  #start(): void {
    if (this.#running !== null || this.#indexer === null) return
    const indexer = this.#indexer
    this.#running = indexer
      .run({ signal: this.#abort.signal, inBackground: true })
      .then((run) => {
        this.#failure = null
        if (run.changed + run.removed > 0)
          log.info("indexed", { changed: run.changed, removed: run.removed, ms: Math.round(run.durationMs) })
      })
      .catch((error) => this.#fail(error))
      .finally(() => {
        this.#running = null
        this.#progress = null
        this.#lastRun = performance.now()
        indexer.rest()
      })
  }

  /** Before a query: look at the files again if the last look is old, and give a short run the time to finish. */
  async #catchUp(): Promise<void> {
    if (this.#indexer === null) return
    if (this.#running === null && performance.now() - this.#lastRun > FRESH_MS) this.#start()
    if (this.#running === null) return
    const patience = new AbortController()
    await Promise.race([this.#running, sleep(PATIENCE_MS, patience.signal)])
    patience.abort()
  }

  #report(progress: IndexProgress, options: ProjectOptions): void {
    this.#progress = progress
    options.onProgress?.(progress)
  }

  #fail(error: unknown): void {
    if (this.#abort.signal.aborted) return
    const message = error instanceof Error ? error.message : String(error)
    if (message !== this.#failure) log.error("indexing failed", { error: message })
    this.#failure = `the index is not being updated: ${message}`
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
