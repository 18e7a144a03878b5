/*
 * Clones of other repositories: `syncRepositories` fetches and indexes them, `addRepository` and `removeRepository` also
 * change the user's settings. Only the process that holds the lock writes; it records each step in the manifest.
 * Fetches run in parallel, index jobs one after the other (`IndexJobQueue`).
 */

import { existsSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import {
  AmanError,
  type ConfigFlags,
  cannotWrite,
  loadEditSettings,
  log,
  messageOf,
  OpenFolder,
} from "../../base/index.ts"
import { indexProject, removeIndex } from "../../index/index.ts"
import { LeaderLock } from "../../store/index.ts"
import { type Manifest, newState, type RepoState, readManifest, writeManifest } from "../clones/manifest.ts"
import { type Pulled, pull } from "../clones/pull.ts"
import {
  type Configured,
  chooseRepository,
  configuredRepositories,
  isDue,
  openClone,
  type Repository,
  repositoryAt,
  unlistedRepositories,
  userFile,
  userUrls,
} from "./configured.ts"

export type SyncOptions = {
  readonly flags?: ConfigFlags
  readonly signal?: AbortSignal | undefined
  /** Sync only repositories whose interval has passed. */
  readonly onlyDue?: boolean
  readonly now?: () => Date
  readonly onEvent?: (event: SyncEvent) => void
  /**
   * Called for a repository that this run fetched for the first time and that failed or was interrupted;
   * false deletes its files.
   */
  readonly isKept?: (repository: Repository) => boolean
}

export type SyncReport = {
  readonly repositories: readonly SyncedRepository[]
  /** True if another aman was syncing for longer than MAX_WAIT_MS; the current clones are used. */
  readonly stale: boolean
  readonly took_ms: number
  readonly notices: readonly string[]
}

// More parallel fetches do not make the network faster.
const MAX_AT_ONCE = 4

const MAX_WAIT_MS = 60_000

/**
 * Updates clones and indexes from their remotes. One process at a time syncs: others wait up to
 * MAX_WAIT_MS, then use the current clones. The failure of one repository is stored in its state.
 */
export async function syncRepositories(
  { config, places, problems }: Configured,
  wanted: readonly Repository[],
  options: SyncOptions = {},
): Promise<SyncReport> {
  const started = performance.now()
  const now = options.now ?? (() => new Date())
  const askedAt = now().getTime()
  if (wanted.length === 0) return { repositories: [], stale: false, took_ms: 0, notices: problems }
  using lead = await leadRepositories({ places, config }, options.signal)
  const took = () => Math.round(performance.now() - started)
  if (lead === null) {
    const notice = "another aman process is syncing these repositories; answers come from the existing clones"
    return { repositories: [], stale: true, took_ms: took(), notices: [...problems, notice] }
  }
  const manifest = new ManifestWriter(places.manifest, lead)
  const indexing = new IndexJobQueue()
  const repositories = await mapConcurrently(MAX_AT_ONCE, wanted, (repository) => {
    const state = manifest.of(repository)
    if (isSyncedMeanwhile(state, askedAt) || (options.onlyDue && !isDue(state, config, now()))) {
      return Promise.resolve(reportOf(repository, state, "by another"))
    }
    const sync = new RepositorySync(repository, config, manifest, indexing, { ...options, now })
    return syncOrDrop(repository, manifest, options.isKept ?? (() => true), () => sync.run())
  })
  manifest.finish(now())
  return { repositories, stale: false, took_ms: took(), notices: [...problems, ...manifest.notices] }
}

/**
 * Runs `sync`. After a failure, deletes the repository's files, unless `isKept` forbids it or they existed before this
 * run, because then another process may have made them.
 */
async function syncOrDrop(
  repository: Repository,
  manifest: ManifestWriter,
  isKept: (repository: Repository) => boolean,
  sync: () => Promise<SyncedRepository>,
): Promise<SyncedRepository> {
  const isOurs = !isOnDisk(repository, manifest)
  let isDone = false
  try {
    const report = await sync()
    isDone = report.outcome !== "failed"
    return report
  } finally {
    if (isOurs && !isDone && manifest.isOurs && !isKept(repository)) dropRepository(repository, manifest)
  }
}

/** True if another process has synced the repository since this sync was requested. */
function isSyncedMeanwhile({ last_attempt }: RepoState, askedAt: number): boolean {
  return last_attempt !== null && Date.parse(last_attempt) > askedAt
}

/** True if any repository is due; cheap enough to call often. */
export function isAnyDue({ config, places, repositories }: Configured, now: Date): boolean {
  if (repositories.length === 0) return false
  const { repos } = readManifest(places.manifest).manifest
  return repositories.some(({ id }) => isDue(repos[id], config, now))
}

/**
 * Runs `act` for each item, at most `max` at once, started in order; throws the first error after all have
 * ended.
 */
async function mapConcurrently<T, R>(
  max: number,
  items: readonly T[],
  act: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length)
  const rest = items.entries()
  const worker = async () => {
    for (const [at, item] of rest) results[at] = await act(item)
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(max, items.length) }, worker))
  const failed = ended.find((each) => each.status === "rejected")
  if (failed) throw failed.reason
  return results
}

export type SyncEvent = { readonly name: string; readonly phase: "fetch" | "index" | "done" | "failed" }

export type SyncedRepository = {
  readonly repository: string
  /** "by another": another aman process has updated the repository at the same time. */
  readonly outcome: "cloned" | "updated" | "unchanged" | "empty" | "failed" | "by another"
  readonly commit: string | null
  readonly files: number
  /** Number of files indexed again and of files removed from the index. */
  readonly changed: number
  readonly removed: number
  readonly fetch_ms: number
  readonly index_ms: number
  readonly error: string | null
}

export type SyncOne = {
  readonly flags?: ConfigFlags | undefined
  readonly signal?: AbortSignal | undefined
  readonly now: () => Date
  readonly onEvent?: ((event: SyncEvent) => void) | undefined
}

// Limit for a fetch without any progress: large repositories take minutes, but report progress all the time.
const STALL_MS = 120_000

/** Runs index jobs one after the other, because each uses all processors and the whole memory limit. */
export class IndexJobQueue {
  #last: Promise<unknown> = Promise.resolve()

  take<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(act)
    this.#last = turn.catch(() => {})
    return turn
  }
}

export class RepositorySync {
  readonly #repository: Repository
  readonly #config: Configured["config"]
  readonly #manifest: ManifestWriter
  readonly #indexing: IndexJobQueue
  readonly #options: SyncOne

  constructor(
    repository: Repository,
    config: Configured["config"],
    manifest: ManifestWriter,
    indexing: IndexJobQueue,
    options: SyncOne,
  ) {
    this.#repository = repository
    this.#config = config
    this.#manifest = manifest
    this.#indexing = indexing
    this.#options = options
  }

  async run(): Promise<SyncedRepository> {
    const { name, clone, address } = this.#repository
    const { signal, now } = this.#options
    const previous = this.#manifest.of(this.#repository)
    const started = performance.now()
    let fetchMs = 0
    try {
      this.#report("fetch")
      const pulled = await pull(address, clone, { signal, stallMs: STALL_MS, limits: this.#config.limits })
      fetchMs = Math.round(performance.now() - started)
      this.#note(pulled, previous)
      this.#report("index")
      const report = await this.#indexing.take(() => this.#index())
      this.#manifest.update(this.#repository, (state) => ({
        ...withoutError(state),
        last_indexed: pulled.commit,
        file_count: report.files,
      }))
      this.#report("done")
      const { changed, removed } = report
      const times = { fetch_ms: fetchMs, index_ms: Math.round(performance.now() - started) - fetchMs }
      const state = this.#manifest.of(this.#repository)
      return { ...reportOf(this.#repository, state, outcomeOf(pulled, previous)), changed, removed, ...times }
    } catch (error) {
      if (signal?.aborted) throw error
      if (!this.#manifest.isOurs) throw error
      const message = messageWithoutName(error, name)
      this.#manifest.update(this.#repository, (state) => ({
        ...state,
        last_attempt: now().toISOString(),
        error: message,
        error_at: now().toISOString(),
      }))
      this.#report("failed")
      return {
        ...reportOf(this.#repository, this.#manifest.of(this.#repository), "failed"),
        fetch_ms: fetchMs,
      }
    }
  }

  /**
   * Records the fetch before indexing starts, so that after a kill in between the next sync continues with
   * indexing.
   */
  #note(pulled: Pulled, previous: RepoState): void {
    const at = this.#options.now().toISOString()
    this.#manifest.update(this.#repository, (state) => ({
      ...state,
      cloned_at: previous.cloned_at ?? at,
      last_pull: at,
      last_attempt: at,
      last_commit: pulled.commit,
    }))
  }

  async #index() {
    using project = openClone(this.#repository, this.#options.flags)
    return indexProject(project!, { signal: this.#options.signal, inBackground: true })
  }

  #report(phase: SyncEvent["phase"]): void {
    this.#options.onEvent?.({ name: this.#repository.name, phase })
  }
}

function outcomeOf(pulled: Pulled, previous: RepoState): SyncedRepository["outcome"] {
  if (pulled.commit === null) return "empty"
  if (previous.cloned_at === null) return "cloned"
  return pulled.isChanged || previous.last_commit !== pulled.commit ? "updated" : "unchanged"
}

export function reportOf(
  { name }: Repository,
  { last_commit, file_count, error }: RepoState,
  outcome: SyncedRepository["outcome"],
): SyncedRepository {
  const counts = { files: file_count, changed: 0, removed: 0, fetch_ms: 0, index_ms: 0 }
  return { repository: name, outcome, commit: last_commit, ...counts, error: error ?? null }
}

function withoutError({ error: _, error_at: __, ...state }: RepoState): RepoState {
  return state
}

/** Message without the repository's name, which is shown next to it. */
function messageWithoutName(error: unknown, name: string): string {
  if (!(error instanceof AmanError)) return messageOf(error)
  const message = error.message.replace(`${name}: `, "")
  return error.hint === undefined ? message : `${message} (${error.hint})`
}

/**
 * The manifest of the other repositories, in the process that holds its lock and may change it. Each change is on disk
 * when the method returns. Throws REPOS_BUSY once the lock is lost.
 */
export class ManifestWriter {
  readonly notices: readonly string[]
  readonly #path: string
  readonly #lead: LeaderLock
  #manifest: Manifest

  constructor(path: string, lead: LeaderLock) {
    const { manifest, damage } = readManifest(path)
    this.notices = damage === null ? [] : [`${damage}; it is rebuilt from the clones`]
    if (damage !== null) log.warn("manifest of repositories rebuilt", { damage })
    this.#path = path
    this.#lead = lead
    this.#manifest = manifest
  }

  /** False once the lock file was removed, because another process may then hold the lock. */
  get isOurs(): boolean {
    return this.#lead.held
  }

  has(id: string): boolean {
    return this.#manifest.repos[id] !== undefined
  }

  of({ id, url }: Repository): RepoState {
    return this.#manifest.repos[id] ?? newState(url)
  }

  update(repository: Repository, change: (state: RepoState) => RepoState): void {
    const state = change(this.of(repository))
    this.#write({ ...this.#manifest, repos: { ...this.#manifest.repos, [repository.id]: state } })
  }

  forget(id: string): void {
    const { [id]: _, ...repos } = this.#manifest.repos
    this.#write({ ...this.#manifest, repos })
  }

  finish(at: Date): void {
    this.#write({ ...this.#manifest, last_sync: at.toISOString() })
  }

  #write(manifest: Manifest): void {
    if (!this.#lead.held) {
      throw new AmanError("REPOS_BUSY", "the lock on the repositories was removed, so the sync stopped", {
        hint: "run it again",
      })
    }
    writeManifest(this.#path, manifest)
    this.#manifest = manifest
  }
}

/** Deletes clone, index and manifest entry. Only for the leader. */
export function dropRepository({ id, clone, index }: Repository, manifest: ManifestWriter): void {
  dropIndex({ root: clone, dir: index })
  removeTree(clone)
  manifest.forget(id)
}

/** True if there is anything that `dropRepository` would delete. */
export function isOnDisk({ id, clone, index }: Repository, manifest: ManifestWriter): boolean {
  return manifest.has(id) || existsSync(clone) || existsSync(index)
}

/** Deletes a folder in its opened parent, so that a link placed on the way to it is not followed. */
function removeTree(path: string): void {
  using parent = OpenFolder.open(dirname(path))
  if (parent !== null) rmSync(join(parent.at, basename(path)), { recursive: true, force: true })
}

/**
 * Deletes the index of a clone. An index that is missing from the registry, as after the loss of the user's data
 * folder, is deleted as well, because it is in aman's own folder.
 */
function dropIndex(place: { readonly root: string; readonly dir: string }): void {
  try {
    removeIndex(place)
  } catch (error) {
    if (!(error instanceof AmanError && error.code === "INDEX_FOREIGN")) throw error
    removeTree(place.dir)
  }
}

const FIRST_POLL_MS = 10

/**
 * Lock for writing clones, indexes and the manifest; null if another process held it for all of
 * MAX_WAIT_MS or of the time that one repository may take.
 */
export async function leadRepositories(
  { places, config }: Pick<Configured, "places" | "config">,
  signal?: AbortSignal,
): Promise<LeaderLock | null> {
  makeFolder(places.state)
  const until = performance.now() + Math.min(MAX_WAIT_MS, config.limits.maxMs)
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(500, pollMs * 2)) {
    if (signal?.aborted) throw new AmanError("INTERRUPTED", "interrupted while another aman was syncing")
    const lead = LeaderLock.take(places.state)
    if (lead !== null) return lead
    const leftMs = until - performance.now()
    if (leftMs <= 0) return null
    await Bun.sleep(Math.min(pollMs, leftMs))
  }
}

function makeFolder(folder: string): void {
  try {
    OpenFolder.open(folder, { make: 0o700 })[Symbol.dispose]()
  } catch (cause) {
    throw cannotWrite(folder, cause, "make it writable, or set AMAN_DATA_DIR to another folder")
  }
}

export type AddedRepository = {
  readonly repository: string
  readonly url: string
  /** False if the repository was already configured. */
  readonly added: boolean
  /** Settings file that the repository was added to; null if it was already configured. */
  readonly file: string | null
  /** Result of the sync; null if none was requested. */
  readonly sync: SyncReport | null
}

export type AddOptions = SyncOptions & { readonly cwd: string; readonly withoutSync?: boolean }

/**
 * Clones and indexes a repository, then adds it to the user's settings, in this order so that a mistyped
 * address is not saved. Throws REPOSITORY if it cannot be fetched.
 */
export async function addRepository(written: string, options: AddOptions): Promise<AddedRepository> {
  const { cwd, withoutSync, flags = {} } = options
  const configured = configuredRepositories(flags)
  const wanted = repositoryAt(written, configured.places, cwd)
  const { url } = wanted
  const configuredAlready = configured.repositories.find(({ id }) => id === wanted.id)
  if (configuredAlready === undefined) checkNameIsFree(wanted, configured.repositories)
  const { name } = configuredAlready ?? wanted
  const sync = withoutSync
    ? null
    : await syncOrThrow(wanted, configured, options, configuredAlready === undefined)
  const file = configuredAlready === undefined ? await addToSettings(wanted) : null
  return { repository: name, url, added: configuredAlready === undefined, file, sync }
}

/** Throws USAGE if another repository has the same name: both could only be addressed by URL. */
function checkNameIsFree({ name }: Repository, others: readonly Repository[]): void {
  const other = others.find((each) => each.name === name)
  if (other === undefined) return
  throw new AmanError("USAGE", `${name} is already configured as ${other.url}`, {
    hint: `run aman repos remove ${name} first, or add a branch of it: #branch`,
  })
}

async function syncOrThrow(
  wanted: Repository,
  configured: Configured,
  options: SyncOptions,
  isNew: boolean,
): Promise<SyncReport> {
  // Deletes the partial clone of a repository that no settings file names, because it would be listed forever. The
  // settings are read again, because another process may have added the repository meanwhile.
  const isKept = () => isListed(wanted, options)
  const report = await syncRepositories(configured, [wanted], { ...options, isKept })
  const [one] = report.repositories
  if (one?.outcome !== "failed") return report
  throw new AmanError("REPOSITORY", `${one.repository}: ${one.error}`, {
    hint: isNew
      ? "it was not added; to add it without contacting its remote: --later"
      : "for details: aman repos status",
  })
}

/**
 * The state of an address after an interrupted add, for a message: another process may have cloned or added the
 * repository meanwhile.
 */
export function existingState(written: string, options: AddOptions): "nothing" | "clone" | "configured" {
  const wanted = repositoryAt(written, configuredRepositories(options.flags).places, options.cwd)
  if (isListed(wanted, options)) return "configured"
  return existsSync(wanted.clone) ? "clone" : "nothing"
}

function isListed({ id }: Repository, { flags }: SyncOptions): boolean {
  return configuredRepositories(flags).repositories.some((each) => each.id === id)
}

async function addToSettings({ url }: Repository): Promise<string> {
  const file = userFile()
  const { editSettings } = await loadEditSettings()
  const urls = await userUrls(file)
  if (!urls.includes(url)) editSettings(file, "repos.urls", [...urls, url])
  return file.path
}

export type RemovedRepository = {
  readonly repository: string
  readonly url: string
  /** Settings file from which the repository was removed; null if no file named it. */
  readonly file: string | null
}

/**
 * Removes a repository from the user's settings and deletes its clone and index. Also deletes a repository that is no
 * longer in the settings.
 */
export async function removeRepository(
  wanted: string,
  { flags = {}, signal }: { readonly flags?: ConfigFlags; readonly signal?: AbortSignal } = {},
): Promise<RemovedRepository> {
  const configured = configuredRepositories(flags)
  const all = [...configured.repositories, ...unlistedRepositories(configured)]
  const repository = chooseRepository({ ...configured, repositories: all }, wanted)
  const isListed = configured.repositories.includes(repository)
  const file = isListed ? await removeFromSettings(repository, configured) : null
  await removeFromDisk(configured, [repository], signal)
  return { repository: repository.name, url: repository.url, file }
}

/** Deletes all repositories on disk that are no longer configured. */
export async function removeUnlisted({
  flags = {},
  signal,
}: {
  readonly flags?: ConfigFlags
  readonly signal?: AbortSignal
} = {}): Promise<RemovedRepository[]> {
  const configured = configuredRepositories(flags)
  const unlisted = unlistedRepositories(configured)
  await removeFromDisk(configured, unlisted, signal)
  return unlisted.map(({ name, url }) => ({ repository: name, url, file: null }))
}

/** Deletes clones, indexes and manifest entries. */
async function removeFromDisk(
  configured: Configured,
  repositories: readonly Repository[],
  signal?: AbortSignal,
): Promise<void> {
  if (repositories.length === 0) return
  using lead = await leadRepositories(configured, signal)
  if (lead === null) {
    throw new AmanError(
      "REPOS_BUSY",
      "another aman process is syncing the repositories, so nothing was deleted",
      {
        hint: "try again later: aman repos remove --unlisted",
      },
    )
  }
  const manifest = new ManifestWriter(configured.places.manifest, lead)
  for (const repository of repositories) dropRepository(repository, manifest)
}

async function removeFromSettings(repository: Repository, { places, config }: Configured): Promise<string> {
  const file = userFile()
  const isSame = (url: string) => repositoryId(url, places) === repository.id
  const inUserFile = await userUrls(file)
  const elsewhere = config.urls.filter(isSame).length - inUserFile.filter(isSame).length
  if (elsewhere > 0) {
    throw new AmanError("USAGE", `${repository.name} is configured by AMAN_REPOS_URLS or --repos-urls`, {
      hint: "remove it there, then run: aman repos remove --unlisted",
    })
  }
  const { editSettings } = await loadEditSettings()
  const rest = inUserFile.filter((url) => !isSame(url))
  editSettings(file, "repos.urls", rest)
  return file.path
}

function repositoryId(url: string, places: Configured["places"]): string | null {
  try {
    return repositoryAt(url, places).id
  } catch {
    return null
  }
}
