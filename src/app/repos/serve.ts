import { log } from "../../base/log.ts"
import type { ConfigFlags } from "../../config/resolve.ts"
import type { ReadAnswer, SearchAnswer, SearchRequest } from "../answers.ts"
import type { ContextBundle, ContextRequest } from "../context/request.ts"
import type { GrepAnswer, GrepQuestion } from "../grep-answer.ts"
import type { ReadRequest } from "../read-file.ts"
import { chooseRepositories } from "./choose.ts"
import { Clones } from "./clones.ts"
import { type Configured, configuredRepositories } from "./configured.ts"
import { grepRepositories } from "./grep.ts"
import { readRepositoryFile } from "./read.ts"
import { type OpenClone, searchRepositories } from "./search.ts"
import { type RepositoriesStatus, repositoriesStatus } from "./status.ts"
import { isAnyDue, type SyncReport, syncRepositories } from "./sync.ts"

// Settings may change at any time, and other servers sync as well.
const LONGEST_PAUSE_MS = 60_000
// What nobody asks is closed after so long, and its memory given back.
const REST_MS = 60_000

/**
 * Other repositories behind a server: answers come from what is there, and what is due is fetched in the background.
 * Where none is configured, nothing is fetched, opened or written.
 */
export class ServedRepositories implements AsyncDisposable {
  readonly #flags: ConfigFlags
  readonly #abort = new AbortController()
  #timer: ReturnType<typeof setTimeout> | null = null
  #rest: ReturnType<typeof setTimeout> | null = null
  #syncing: Promise<unknown> | null = null
  #clones: { readonly clones: Clones; readonly config: string } | null = null

  constructor(flags: ConfigFlags) {
    this.#flags = flags
  }

  /** Fetches what is due, now and from then on. Never throws. */
  start(): void {
    this.#tick()
  }

  search(wanted: string, request: SearchRequest): Promise<SearchAnswer> {
    return this.#use((configured, open) => searchRepositories(configured, wanted, request, open))
  }

  async context(wanted: string, request: ContextRequest): Promise<ContextBundle> {
    const { contextOfRepositories } = await import("./context.ts")
    return this.#use((configured, open) => contextOfRepositories(configured, wanted, request, open))
  }

  grep(wanted: string, question: GrepQuestion, signal?: AbortSignal): Promise<GrepAnswer> {
    return this.#use((configured, open) => grepRepositories(configured, wanted, question, open, signal))
  }

  read(wanted: string, request: ReadRequest): Promise<ReadAnswer> {
    return this.#use((configured, open) => readRepositoryFile(configured, wanted, request, open))
  }

  status(): RepositoriesStatus {
    return repositoriesStatus(this.#configured(), { isSyncing: this.#syncing !== null })
  }

  /** Those that a name means, whenever they were last asked. */
  sync(wanted: string, signal?: AbortSignal): Promise<SyncReport> {
    const configured = this.#configured()
    return this.#sync(configured, chooseRepositories(configured, wanted), false, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort()
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (this.#rest !== null) clearTimeout(this.#rest)
    await this.#syncing?.catch(() => {})
    this.#clones?.clones.leave()
  }

  #configured(): Configured {
    return configuredRepositories(this.#flags)
  }

  async #use<T>(act: (configured: Configured, open: OpenClone) => Promise<T>): Promise<T> {
    const configured = this.#configured()
    const clones = this.#opened(configured)
    try {
      return await clones.use((open) => act(configured, open))
    } finally {
      if (this.#rest !== null) clearTimeout(this.#rest)
      this.#rest = setTimeout(() => this.#clones?.clones.rest(), REST_MS)
      this.#rest.unref()
    }
  }

  /** Anew where the settings say otherwise by now. */
  #opened({ config }: Configured): Clones {
    const text = JSON.stringify([config.baseDir, config.maxFileBytes])
    if (this.#clones?.config !== text) {
      this.#clones?.clones.leave()
      this.#clones = { clones: new Clones(config, this.#flags), config: text }
    }
    return this.#clones.clones
  }

  #tick(): void {
    let pauseMs = LONGEST_PAUSE_MS
    try {
      const configured = this.#configured()
      pauseMs = Math.min(pauseMs, configured.config.syncIntervalMs)
      if (this.#syncing === null && isAnyDue(configured, new Date())) {
        this.#sync(configured, configured.repositories, true).catch((error: unknown) => this.#fail(error))
      }
    } catch (error) {
      this.#fail(error)
    }
    if (this.#abort.signal.aborted) return
    this.#timer = setTimeout(() => this.#tick(), pauseMs)
    this.#timer.unref()
  }

  /** One after the other: the lock keeps processes apart, not what one process does. */
  async #sync(
    configured: Configured,
    wanted: Configured["repositories"],
    onlyDue: boolean,
    ending?: AbortSignal,
  ): Promise<SyncReport> {
    const before = this.#syncing
    const sync = (async () => {
      await before?.catch(() => {})
      const signal = AbortSignal.any([this.#abort.signal, ...(ending ? [ending] : [])])
      const options = { flags: this.#flags, signal, onlyDue }
      const report = await syncRepositories(configured, wanted, options)
      tell(report)
      return report
    })()
    this.#syncing = sync
    try {
      return await sync
    } finally {
      if (this.#syncing === sync) this.#syncing = null
    }
  }

  #fail(error: unknown): void {
    if (this.#abort.signal.aborted) return
    log.error("other repositories are not being synced", {
      error: error instanceof Error ? error.message : String(error),
    })
  }
}

function tell({ repositories, stale, notices }: SyncReport): void {
  for (const { repository, outcome, changed, error } of repositories) {
    if (outcome === "failed") log.warn("a repository could not be synced", { repository, error })
    else if (outcome === "cloned" || outcome === "updated")
      log.info("synced", { repository, outcome, changed })
  }
  if (stale) log.info("another aman syncs the repositories", { notices: notices.join("; ") })
}
