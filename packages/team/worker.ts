/*
 * A worker of a team. It takes a job from the queue, updates the clone, indexes it, cuts index and files into blobs,
 * uploads those that are missing and publishes the revision. While it works it renews the lease of the job. If the
 * database or the blob store cannot be reached, it waits and tries again.
 */

import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import {
  getBlob,
  loadHandDown,
  openClone,
  parseAddress,
  parseManifest,
  pull,
  type RepoPlaces,
  type Repository,
  remoteBranches,
  repositoryAt,
  repositoryFolders,
} from "../../src/ask/index.ts"
import {
  AmanError,
  type IndexProgress,
  loadReposConfig,
  log,
  messageOf,
  type ReposConfig,
  sha256,
} from "../../src/base/index.ts"
import {
  INDEX_VERSION,
  type IndexOptions,
  indexPath,
  indexProject,
  isSameShape,
  openRegistry,
  readState,
} from "../../src/index/index.ts"
import { LeaderLock, openStore } from "../../src/store/index.ts"
import { type BlobStore, openBlobStore } from "./blobs/blob-store.ts"
import { Catalogue, CHANNEL } from "./catalogue/catalogue.ts"
import {
  branchPatterns,
  claimJob,
  endJob,
  holdsJob,
  type IndexJob,
  keepBranches,
  matchingBranches,
  releaseJob,
  renewJob,
  repositoryUrls,
  requestOverdueUpdates,
} from "./catalogue/repositories.ts"
import { baseRevision, collectGarbage, isPublished, publish, Upload } from "./catalogue/revisions.ts"
import { type BaseRevision, cutRevision } from "./cut-revision.ts"
import { termFilter } from "./node/term-filters.ts"
import { takeOwnFolder } from "./own-folder.ts"

/** Result of a worker's run for one repository. */
export type WorkerEvent = {
  readonly repository: string
  /** `lost`: another worker has taken over the job. */
  readonly outcome: "started" | "published" | "unchanged" | "failed" | "lost"
  readonly commit: string | null
  readonly files: number
  /** Blobs that were not stored before. */
  readonly stored: number
  readonly took_ms: number
  readonly error: string | null
}

export type WorkerOptions = {
  readonly database: string
  /** Place of the stored segments; see `openBlobStore`. */
  readonly blobs: string
  /** Name of this worker; one user cannot run two workers of the same name at once. Absent: the host's name. */
  readonly name?: string | undefined
  /** True to end when no job is due. */
  readonly isOnce: boolean
  /** Seconds after which a repository is checked again. */
  readonly pollS: number
  readonly signal: AbortSignal
  readonly onEvent: (event: WorkerEvent) => void
}

const STALL_MS = 120_000
/**
 * Time between renewals of a lease, and between looks for due jobs. If a worker is idle, a killed worker's job is taken
 * over within LEASE_S and one such time.
 */
const RENEW_MS = 500
const IDLE_MS = 500
const COLLECT_MS = 600_000
/** Longest pause between two tries while the database or the blob store is away. */
const MAX_PAUSE_MS = 30_000

/**
 * Takes jobs from the team's queue and publishes the indexes it builds, until `signal` is aborted; it then returns a
 * job in progress to the queue. While the database or the blob store is away, it tries again, unless `isOnce`. Throws
 * TEAM, USAGE, and REPOS_BUSY if a worker of this name already runs.
 */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { database, signal } = options
  const { name, base, lead } = takeOwnFolder("worker", options.name)
  using _lead = lead
  await using catalogue = await Catalogue.open(database)
  const store = openBlobStore(catalogue, options.blobs, process.env)
  const worker = new Worker({ catalogue, store, base, name, options })
  let wake = () => {}
  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      wake = resolve
      setTimeout(resolve, ms)
    })
  signal.addEventListener("abort", () => wake(), { once: true })
  await using _ = await catalogue.listen(CHANNEL.job, () => wake())
  const turn = async () => {
    const isBusy = await worker.takeJob()
    if (isBusy || options.isOnce) return isBusy
    await worker.collect()
    await rest(IDLE_MS)
    return true
  }
  let failures = 0
  for (let goesOn = true; goesOn && !signal.aborted; ) {
    try {
      goesOn = await turn()
      if (failures > 0) log.warn("the worker goes on", { failures })
      failures = 0
    } catch (error) {
      if (options.isOnce || !isAway(error)) throw error
      if (failures === 0) log.warn("the worker waits and tries again", { error: error.message })
      await rest(pauseAfter(failures++))
    }
  }
}

/** True for an error of the database or the blob store, which may be over soon. */
function isAway(error: unknown): error is AmanError {
  return error instanceof AmanError && error.code === "TEAM"
}

/** Milliseconds until the next try; random, so that the workers of a team do not all come back at once. */
function pauseAfter(failures: number): number {
  return Math.min(MAX_PAUSE_MS, IDLE_MS * 2 ** failures) * (0.5 + Math.random() / 2)
}

type WorkerContext = {
  readonly catalogue: Catalogue
  readonly store: BlobStore
  readonly base: string
  readonly name: string
  readonly options: WorkerOptions
}

class Worker {
  readonly #place: WorkerContext
  readonly #config: ReposConfig
  readonly #places: RepoPlaces
  #collectedAt = Number.NEGATIVE_INFINITY
  /** Share of the job's files that are read; null before they are. */
  #progress: number | null = null

  constructor(place: WorkerContext) {
    this.#place = place
    this.#config = loadReposConfig()
    this.#places = repositoryFolders(place.base)
  }

  /** Takes a job from the queue, and ends it; false if none is due. */
  async takeJob(): Promise<boolean> {
    const { catalogue, name, options } = this.#place
    await requestOverdueUpdates(catalogue, options.pollS)
    const job = await claimJob(catalogue, name)
    if (job !== null) await this.#work(job)
    return job !== null
  }

  /** Deletes what no node and no upload needs any more, unless that was done shortly before. */
  async collect(): Promise<void> {
    if (performance.now() - this.#collectedAt < COLLECT_MS) return
    const { catalogue, store } = this.#place
    await collectGarbage(catalogue, store)
    await this.#dropRemoved()
    this.#collectedAt = performance.now()
  }

  /** Removes the clones and indexes of repositories and branches that the team no longer has. */
  async #dropRemoved(): Promise<void> {
    const urls = await repositoryUrls(this.#place.catalogue)
    const repositories = urls.map((url) => repositoryAt(url, this.#places))
    const own = new Set(repositories.flatMap(({ clone, index }) => [clone, index]))
    const { clones, indexes } = this.#places
    for (const folder of [clones, indexes].filter((each) => existsSync(each)))
      for (const name of readdirSync(folder)) {
        const path = join(folder, name)
        if (own.has(path)) continue
        openRegistry().remove(path)
        rmSync(path, { recursive: true, force: true })
      }
  }

  async #work(job: IndexJob): Promise<void> {
    const { catalogue, options } = this.#place
    const started = performance.now()
    const lost = new AbortController()
    const signal = AbortSignal.any([options.signal, lost.signal])
    let isRenewing = false
    this.#progress = null
    const renewing = setInterval(async () => {
      // A slow database gets one request at a time.
      if (isRenewing) return
      isRenewing = true
      // An error here is ignored, because publishing fails if the lease is lost.
      const isOurs = await renewJob(catalogue, job, this.#progress).catch(() => true)
      isRenewing = false
      if (!isOurs) lost.abort()
    }, RENEW_MS)
    const report = (event: Partial<WorkerEvent> & Pick<WorkerEvent, "outcome">) =>
      options.onEvent({
        ...{ repository: job.name, commit: null, files: 0, stored: 0, error: null },
        ...{ took_ms: Math.round(performance.now() - started) },
        ...event,
      })
    report({ outcome: "started" })
    try {
      report(await this.#index(job, signal))
    } catch (error) {
      const isStopped = options.signal.aborted
      if (lost.signal.aborted) return report({ outcome: "lost" })
      const message = this.#withoutFolders(messageOf(error))
      // Stopping the worker and errors of the database are not the repository's fault: they are not recorded as its
      // error.
      const isOurs = isStopped || isAway(error)
      await releaseJob(catalogue, job, isOurs ? null : message)
      if (isStopped) return
      if (isOurs) throw error
      log.warn("a repository could not be indexed", { repository: job.name, error: message })
      report({ outcome: "failed", error: message })
    } finally {
      clearInterval(renewing)
    }
  }

  /** The message without this worker's folders, because everybody who may read the repository sees it. */
  #withoutFolders(message: string): string {
    const clone = new RegExp(`${RegExp.escape(this.#places.clones)}[\\\\/][^\\s\\\\/:]+[\\\\/]?`, "g")
    return message.replace(clone, "").replaceAll(this.#places.base, "")
  }

  async #index(
    job: IndexJob,
    signal: AbortSignal,
  ): Promise<Partial<WorkerEvent> & Pick<WorkerEvent, "outcome">> {
    const { catalogue, store, name } = this.#place
    const repository = repositoryAt(job.url, this.#places)
    const { address, clone, index } = repository
    const { commit } = await pull(address, clone, { signal, stallMs: STALL_MS, limits: this.#config.limits })
    await this.#keepBranches(job, address, signal)
    if (commit === null) throw new AmanError("REPOSITORY", "it has no commits yet")
    if (await isPublished(catalogue, job, commit, INDEX_VERSION)) {
      const isOurs = await catalogue.transaction(async (sql) => {
        const holds = await holdsJob(sql, job)
        if (holds) await endJob(sql, job)
        return holds
      })
      return { outcome: isOurs ? "unchanged" : "lost", commit }
    }
    const terms = await this.#indexedTerms(job, repository, signal)
    using lead = LeaderLock.take(index)
    if (lead === null) throw new AmanError("TEAM", `another process writes the index of ${job.name}`)
    using opened = openStore(indexPath(index))
    // Changes that are still in the write-ahead log would be missing in the published index.
    if (!opened.checkpoint()) throw new AmanError("INDEX_BUSY", `the index of ${job.name} is being read`)
    const files = opened.files.all()
    const upload = new Upload(catalogue, store)
    const keep = async (hash: string, bytes: Uint8Array) => {
      signal.throwIfAborted()
      await upload.keep(hash, bytes)
    }
    const tree = { root: clone, indexDir: index, files }
    const manifest = await cutRevision(tree, keep, await this.#parentRevision(job))
    const bytes = Buffer.from(JSON.stringify(manifest))
    const manifestHash = sha256(bytes)
    await upload.keep(manifestHash, bytes)
    const isOurs = await publish(catalogue, job, {
      ...{ commit, manifest, manifestHash, indexVersion: INDEX_VERSION, shape: readState(opened).shape },
      ...{ terms, chunks: opened.files.totals().chunks },
      ...{ files: files.length, bytes: upload.bytes, worker: name },
    })
    return { outcome: isOurs ? "published" : "lost", commit, files: files.length, stored: upload.stored }
  }

  /** The revision of the repository whose branch is indexed; null if it is no branch, or there is none. */
  async #parentRevision(job: IndexJob): Promise<BaseRevision | null> {
    const { catalogue, store } = this.#place
    const found = await baseRevision(catalogue, job, INDEX_VERSION, true)
    if (found === null) return null
    return { manifest: parseManifest(await getBlob(store, found.manifest)), store }
  }

  /** Adds and removes the branches that the patterns of a repository bring. */
  async #keepBranches(job: IndexJob, address: Repository["address"], signal: AbortSignal): Promise<void> {
    const { catalogue } = this.#place
    const patterns = await branchPatterns(catalogue, job)
    const { maxMemoryBytes } = this.#config.limits
    const options = { signal, stallMs: STALL_MS, maxMemoryBytes }
    const { fetched, branches } =
      patterns.length === 0 ? { fetched: null, branches: [] } : await remoteBranches(address, options)
    const usable = matchingBranches(branches, patterns, fetched).filter((branch) =>
      isBranchName(job.url, branch),
    )
    await keepBranches(catalogue, job, usable)
  }

  /**
   * Indexes the clone; returns the filter of its terms. An index that is empty starts from the published one of the repository,
   * or of the one whose branch it is: then only other files are read, and most blobs are stored already.
   */
  async #indexedTerms(job: IndexJob, repository: Repository, signal: AbortSignal): Promise<Uint8Array> {
    const { catalogue, store } = this.#place
    const onProgress = ({ phase, done, total }: IndexProgress) => {
      if (phase === "parse") this.#progress = done / Math.max(1, total)
    }
    using project = openClone(repository, { "log.level": log.level }, { onProgress })
    const handDown: IndexOptions["handDown"] = async ({ config }, indexer) => {
      const base = await baseRevision(catalogue, job, INDEX_VERSION)
      if (base === null || !isSameShape(base.shape, config)) return { from: null, notice: null }
      project!.close()
      const { fetchIndex } = await loadHandDown()
      try {
        await indexer.adopt((folder, id) => fetchIndex(store, base.manifest, folder, id))
      } catch (error) {
        log.warn("an index is made from scratch", { repository: job.name, error: messageOf(error) })
      }
      return { from: null, notice: null }
    }
    await indexProject(project!, { signal, inBackground: true, handDown })
    const keyword = project!.reader()!.keyword()
    return termFilter(keyword.terms, keyword.eachTerm)
  }
}

/** False for a name that an address cannot have. */
function isBranchName(url: string, branch: string): boolean {
  try {
    return parseAddress(`${url}#${branch}`, { cwd: null, home: "" }).ref === branch
  } catch {
    return false
  }
}
