import {
  AmanError,
  type ConfigFlags,
  log,
  messageOf,
  messageWithHint,
  type SearchAnswer,
  type SearchRequest,
} from "../../base/index.ts"
import { ALL, type Project } from "../../index/index.ts"
import { type Source, sourceOf } from "../source.ts"
import {
  type Configured,
  chooseRepositories,
  configuredRepositories,
  OpenClones,
  type RepositoriesStatus,
  repositoriesStatus,
  resultOrError,
} from "./configured.ts"
import type { OpenClone, OtherNodes } from "./search.ts"
import { asClone } from "./served-roots.ts"
import { several } from "./several.ts"
import { isAnyDue, type SyncReport, syncRepositories } from "./sync.ts"

// Max interval of the sync timer in ms. Limited, because settings can change and other servers sync as well.
const MAX_PAUSE_MS = 60_000
// Clones are closed and their memory released after this time without a query.
const REST_MS = 60_000

/**
 * Other repositories of a server. Queries are answered from the current clones, and due ones are fetched in the
 * background. Without a configured repository it fetches, opens and writes nothing.
 */
export class ServedRepositories implements AsyncDisposable {
  readonly #flags: ConfigFlags
  readonly #abort = new AbortController()
  #timer: ReturnType<typeof setTimeout> | null = null
  #rest: ReturnType<typeof setTimeout> | null = null
  #syncing: Promise<unknown> | null = null
  #clones: { readonly clones: OpenClones; readonly config: string } | null = null

  constructor(flags: ConfigFlags) {
    this.#flags = flags
  }

  /** Starts fetching due repositories, now and periodically. Never throws. */
  start(): void {
    this.#tick()
  }

  /** The questions asked of the repositories that a name selects. Memories are those of the project, so they get none. */
  source(wanted: string): Source {
    return sourceOf((verb, request, { memories: _, ...call }) =>
      this.#use((configured, open) => several(configured, wanted, { open })[verb](request, call)),
    )
  }

  /**
   * A search of the repositories with these names, of a project if there is one, and of what `nodes` adds, in one order. A
   * name that selects none is a notice if something else is searched.
   */
  searchAll(
    wanted: readonly string[],
    own: { readonly name: string; readonly project: Project } | null,
    request: SearchRequest,
    nodes: OtherNodes,
  ): Promise<SearchAnswer> {
    return this.#use(async (configured, open) => {
      const found = wanted.map((name) => resultOrError(() => chooseRepositories(configured, name)))
      const failed = found.filter((each) => each instanceof AmanError)
      const clone = own && asClone(own.name, own.project.root, own.project)
      const repositories = new Set(clone === null ? [] : [clone.repository])
      for (const each of found)
        if (!(each instanceof AmanError)) for (const one of each) repositories.add(one)
      if (repositories.size === 0 && failed[0]) throw failed[0]
      const all: Configured = {
        ...{ ...configured, repositories: [...repositories] },
        states: () => ({ ...configured.states(), ...(clone && { [clone.repository.id]: clone.state }) }),
        problems: [...configured.problems, ...failed.map(messageWithHint)],
      }
      const openAny: OpenClone = (each) => (each === clone?.repository ? own!.project : open(each))
      return await several(all, ALL, { open: openAny, nodes }).search(request)
    })
  }

  status(): RepositoriesStatus {
    return repositoriesStatus(this.#configured(), { isSyncing: this.#syncing !== null })
  }

  /** Syncs the repositories that a name selects, whether due or not. */
  sync(wanted: string, signal?: AbortSignal): Promise<SyncReport> {
    const configured = this.#configured()
    return this.#sync(configured, chooseRepositories(configured, wanted), false, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort()
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (this.#rest !== null) clearTimeout(this.#rest)
    await this.#syncing?.catch(() => {})
    this.#clones?.clones.closeWhenIdle()
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
      this.#rest = setTimeout(() => this.#clones?.clones.closeIfIdle(), REST_MS)
      this.#rest.unref()
    }
  }

  /** The open clones. After a change of the settings, the old clones are closed and a new set is begun. */
  #opened({ config }: Configured): OpenClones {
    const text = config.baseDir
    if (this.#clones?.config !== text) {
      this.#clones?.clones.closeWhenIdle()
      this.#clones = { clones: new OpenClones(this.#flags), config: text }
    }
    return this.#clones.clones
  }

  #tick(): void {
    let pauseMs = MAX_PAUSE_MS
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

  /** Runs syncs one after the other: the lock excludes other processes only. */
  async #sync(
    configured: Configured,
    wanted: Configured["repositories"],
    onlyDue: boolean,
    ending?: AbortSignal,
  ): Promise<SyncReport> {
    const previous = this.#syncing
    const sync = (async () => {
      await previous?.catch(() => {})
      const signal = AbortSignal.any([this.#abort.signal, ...(ending ? [ending] : [])])
      const options = { flags: this.#flags, signal, onlyDue }
      const report = await syncRepositories(configured, wanted, options)
      logReport(report)
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
      error: messageOf(error),
    })
  }
}

function logReport({ repositories, stale, notices }: SyncReport): void {
  for (const { repository, outcome, changed, error } of repositories) {
    if (outcome === "failed") log.warn("a repository could not be synced", { repository, error })
    else if (outcome === "cloned" || outcome === "updated")
      log.info("synced", { repository, outcome, changed })
  }
  if (stale) log.info("another aman process syncs the repositories", { notices: notices.join("; ") })
}
