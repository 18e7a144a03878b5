/*
 * The other repositories of the user: which are configured, which of them a name selects, in what state their clones are,
 * and the clones opened as projects.
 */

import { existsSync, readdirSync } from "node:fs"
import {
  AmanError,
  type ConfigFlags,
  type Environment,
  homeDir,
  loadReposConfig,
  loadSettingsFile,
  nearest,
  OpenFolder,
  type ReposConfig,
  type ResultCommit,
  resolvedOr,
  type SettingsFile,
  settingsFiles,
} from "../../base/index.ts"
import { ALL, indexFolderSize, openProject, type Project, type ProjectOptions } from "../../index/index.ts"
import { LeaderLock } from "../../store/index.ts"
import {
  addressIn,
  cloneFolder,
  folderName,
  formatAddress,
  indexFolder,
  parseAddress,
  type RepoPlaces,
  type RepositoryAddress,
  repositoryFolders,
  repositoryName,
} from "../clones/address.ts"
import { newState, type RepoState, readManifest } from "../clones/manifest.ts"

/** A repository other than the project, whether it is cloned or not. */
export type Repository = {
  /** Name of the clone's folder. */
  readonly id: string
  /** Display name, such as "github.com/owner/name"; the address if several repositories share that name. */
  readonly name: string
  readonly url: string
  readonly address: RepositoryAddress
  readonly clone: string
  readonly index: string
}

export type Configured = {
  readonly config: ReposConfig
  readonly places: RepoPlaces
  readonly repositories: readonly Repository[]
  /** State of each repository's clone, by the repository's id. */
  readonly states: () => Readonly<Record<string, RepoState>>
  /** Invalid addresses, each with the reason; valid ones still work. */
  readonly problems: readonly string[]
}

/** The repositories of these results, each with its indexed commit, in the order of `configured`. */
export function commitsOf(
  { repositories, states }: Configured,
  results: readonly { readonly repository?: string }[],
): ResultCommit[] {
  const [names, all] = [new Set(results.map(({ repository }) => repository)), states()]
  return repositories
    .filter(({ name }) => names.has(name))
    .map(({ id, name }) => ({ repository: name, commit: all[id]?.last_indexed ?? null }))
}

/** Repositories named by settings files, environment and flags. Uses no network, and no files except settings. */
export function configuredRepositories(flags: ConfigFlags = {}, env: Environment = process.env): Configured {
  const config = loadReposConfig(flags, env)
  const places = repositoryFolders(resolvedOr(config.baseDir))
  const problems: string[] = []
  const byId = new Map<string, Repository>()
  for (const [at, url] of config.urls.entries()) {
    const repository = resultOrError(() => repositoryAt(url, places))
    if (repository instanceof AmanError) problems.push(`${ordinal(at)} of repos.urls: ${repository.message}`)
    else byId.set(repository.id, repository)
  }
  const states = () => readManifest(places.manifest).manifest.repos
  return { config, places, repositories: withOwnNames([...byId.values()]), states, problems }
}

/** Builds a repository from an address; relative folders are accepted only with `cwd`. */
export function repositoryAt(url: string, places: RepoPlaces, cwd: string | null = null): Repository {
  const address = parseAddress(url, { cwd, home: homeDir() })
  const text = formatAddress(address)
  const id = folderName(text)
  const folders = { clone: cloneFolder(places, id), index: indexFolder(places, id) }
  return { id, name: repositoryName(address), url: text, address, ...folders }
}

/**
 * Replaces the names of repositories that share a name (such as one address by https and one by ssh) by their
 * addresses.
 */
function withOwnNames(repositories: readonly Repository[]): Repository[] {
  const names = Map.groupBy(repositories, ({ name }) => name)
  return repositories.map((each) => (names.get(each.name)!.length === 1 ? each : { ...each, name: each.url }))
}

export function resultOrError<T>(act: () => T): T | AmanError {
  try {
    return act()
  } catch (error) {
    if (error instanceof AmanError) return error
    throw error
  }
}

function ordinal(at: number): string {
  return `address ${at + 1}`
}

/** The user's settings file, which need not exist. */
export function userFile(): SettingsFile {
  const file = settingsFiles(null, process.env)[0]
  if (file) return file
  throw new AmanError("IO", "the folder of the user's settings is unknown", {
    hint: "set XDG_CONFIG_HOME or HOME, or list repositories in AMAN_REPOS_URLS",
  })
}

/** Addresses in the user's settings file, as written there. */
export async function userUrls(file: SettingsFile): Promise<readonly string[]> {
  const { inspectSettingsFile } = await loadSettingsFile()
  const { entries, problems } = inspectSettingsFile(file)
  if (problems.length > 0) throw problems[0]!
  return entries.flatMap(({ key, value }) => (key === "repos.urls" ? (value as string[]) : []))
}

const MAX_NAMED = 8

/**
 * Repositories that a name selects: "*" all; else those with exactly this name or address; else all whose
 * name or address contains it, ignoring case. Throws NOT_FOUND if there are none.
 */
export function chooseRepositories(configured: Configured, wanted: string): readonly Repository[] {
  const { repositories } = configured
  if (repositories.length === 0) throw notConfigured(configured)
  const text = wanted.trim().toLowerCase()
  if (text === ALL) return repositories
  const isExactMatch = ({ name, url, id }: Repository) =>
    [name, url, id].some((each) => each.toLowerCase() === text)
  const exact = repositories.filter(isExactMatch)
  if (exact.length > 0) return exact
  const partial = repositories.filter(
    ({ name, url }) => text !== "" && (name.toLowerCase().includes(text) || url.toLowerCase().includes(text)),
  )
  if (partial.length > 0) return partial
  throw notFound(wanted, repositories)
}

/** The one repository that a name selects; throws USAGE if there are several. */
export function chooseRepository(configured: Configured, wanted: string): Repository {
  const matches = chooseRepositories(configured, wanted)
  if (matches.length === 1) return matches[0]!
  throw new AmanError("USAGE", `${JSON.stringify(wanted)} matches ${matches.length} repositories`, {
    hint: `choose one of: ${someOf(matches)}`,
  })
}

export function notConfigured({ problems }: Configured): AmanError {
  const why = problems.length === 0 ? "" : ` (${problems.join("; ")})`
  return new AmanError("NOT_FOUND", `no other repository is configured${why}`, {
    hint: "run: aman repos add URL; or set AMAN_REPOS_URLS or repos.urls",
  })
}

function notFound(wanted: string, repositories: readonly Repository[]): AmanError {
  const names = repositories.map(({ name }) => name)
  const meant = nearest(wanted, names)
  return new AmanError("NOT_FOUND", `no repository is named ${JSON.stringify(wanted)}`, {
    hint: meant ? `did you mean ${meant}?` : `there are ${someOf(repositories)}`,
  })
}

function someOf(repositories: readonly Repository[]): string {
  const more = repositories.length - MAX_NAMED
  const names = repositories.slice(0, MAX_NAMED).map(({ name }) => name)
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

export type RepositoryStatus = {
  readonly repository: string
  readonly url: string
  /**
   * ready; pending: never cloned; indexing: fetched, newest commit not indexed yet; empty: no commits;
   * failed: the last sync failed; unlisted: on disk, but no longer configured.
   */
  readonly state: "ready" | "pending" | "indexing" | "empty" | "failed" | "unlisted"
  /** True if the repository has an index, which may be of an earlier commit. */
  readonly searchable: boolean
  /** True if the repository was not fetched in time or the last fetch failed, so that the remote may be newer. */
  readonly stale: boolean
  readonly commit: string | null
  readonly indexed_commit: string | null
  readonly files: number
  readonly index_bytes: number
  readonly cloned_at: string | null
  readonly last_pull: string | null
  readonly last_attempt: string | null
  readonly error: string | null
  readonly error_at: string | null
}

export type RepositoriesStatus = {
  readonly base_dir: string
  readonly sync_interval_ms: number
  readonly last_sync: string | null
  /** True if a process is syncing; null if that cannot be determined. */
  readonly syncing: boolean | null
  readonly repositories: readonly RepositoryStatus[]
  readonly notices: readonly string[]
}

/** Status of all repositories, configured or on disk. `isSyncing`: this process is syncing. */
export function repositoriesStatus(
  configured: Configured,
  { now = new Date(), isSyncing = false }: { readonly now?: Date; readonly isSyncing?: boolean } = {},
): RepositoriesStatus {
  const { config, places, repositories, problems } = configured
  const { manifest, damage } = readManifest(places.manifest)
  const listed = repositories.map((each) => statusOf(each, manifest.repos[each.id], configured, now))
  const unlisted = unlistedRepositories(configured).map((each) => ({
    ...statusOf(each, manifest.repos[each.id], configured, now),
    state: "unlisted" as const,
    searchable: false,
  }))
  return {
    base_dir: places.base,
    sync_interval_ms: config.syncIntervalMs,
    last_sync: manifest.last_sync,
    syncing: isSyncing || LeaderLock.isHeld(() => OpenFolder.open(places.state)),
    repositories: [...listed, ...unlisted],
    notices: [...problems, ...(damage === null ? [] : [`${damage}; the next sync rebuilds it`])],
  }
}

/** Repositories on disk that are no longer configured. They are not searched; `aman repos remove --unlisted` deletes them. */
export function unlistedRepositories({ places, repositories }: Configured): Repository[] {
  const configuredIds = new Set(repositories.map(({ id }) => id))
  return cloned(places).flatMap((id) => {
    const address = configuredIds.has(id) ? null : addressIn(id)
    if (address === null) return []
    try {
      return [repositoryAt(address, places)]
    } catch {
      // A folder that is not a clone of ours.
      return []
    }
  })
}

function cloned({ clones, manifest }: RepoPlaces): string[] {
  const onDisk = existsSync(clones) ? readdirSync(clones) : []
  return [...new Set([...onDisk, ...Object.keys(readManifest(manifest).manifest.repos)])].sort()
}

function statusOf(
  { name, url, index }: Repository,
  state: RepoState = newState(url),
  { config }: Configured,
  now: Date,
): RepositoryStatus {
  return {
    repository: name,
    url,
    state: repositoryState(state),
    searchable: state.last_indexed !== null,
    stale: isStale(state, config, now),
    commit: state.last_commit,
    indexed_commit: state.last_indexed,
    files: state.file_count,
    index_bytes: indexFolderSize(index).bytes,
    cloned_at: state.cloned_at,
    last_pull: state.last_pull,
    last_attempt: state.last_attempt,
    error: state.error ?? null,
    error_at: state.error_at ?? null,
  }
}

function repositoryState({
  error,
  last_pull,
  last_commit,
  last_indexed,
}: RepoState): RepositoryStatus["state"] {
  if (error !== undefined) return "failed"
  if (last_pull === null) return "pending"
  if (last_commit === null) return "empty"
  return last_indexed === last_commit ? "ready" : "indexing"
}

/**
 * True if a server should fetch from the remote. A last attempt in the future, after the clock was set back,
 * also counts as due.
 */
export function isDue(state: RepoState | undefined, { syncIntervalMs }: ReposConfig, now: Date): boolean {
  const at = state?.last_attempt
  if (!at) return true
  const ageMs = now.getTime() - Date.parse(at)
  return !(ageMs >= 0 && ageMs < syncIntervalMs)
}

/** True if the last successful fetch is older than two sync intervals, or if the last fetch failed. */
export function isStale(state: RepoState | undefined, { syncIntervalMs }: ReposConfig, now: Date): boolean {
  const at = state?.last_pull
  if (!at || state?.error !== undefined) return true
  const ageMs = now.getTime() - Date.parse(at)
  return !(ageMs >= 0 && ageMs < 2 * syncIntervalMs)
}

/** Open clones: opened on first use, kept for later queries. */
export class OpenClones implements Disposable {
  readonly #flags: ConfigFlags
  readonly #open = new Map<string, Project>()
  #users = 0
  #isLeft = false

  constructor(flags: ConfigFlags = {}) {
    this.#flags = flags
  }

  /** Opens the clone of a repository as a project, or returns the open one; null if it is not cloned yet. */
  open(repository: Repository): Project | null {
    const openAlready = this.#open.get(repository.id)
    if (openAlready) return openAlready
    const project = openClone(repository, this.#flags)
    if (project !== null) this.#open.set(repository.id, project)
    return project
  }

  /** Calls `act`; clones stay open until it returns. */
  async use<T>(act: (open: (repository: Repository) => Project | null) => Promise<T>): Promise<T> {
    this.#users++
    try {
      return await act((repository) => this.open(repository))
    } finally {
      this.#users--
      if (this.#isLeft && this.#users === 0) this[Symbol.dispose]()
    }
  }

  /** Closes the clones unless a query uses them; the next query opens them again. */
  closeIfIdle(): void {
    if (this.#users === 0) this[Symbol.dispose]()
  }

  /** Closes the clones for good once the running queries have ended. */
  closeWhenIdle(): void {
    this.#isLeft = true
    this.closeIfIdle()
  }

  [Symbol.dispose](): void {
    for (const project of this.#open.values()) project.close()
    this.#open.clear()
  }
}

/** Opens a clone as a project with its index outside the clone; null before it is cloned. */
export function openClone(
  { address, clone, index }: Repository,
  flags: ConfigFlags = {},
  options: Pick<ProjectOptions, "isFixed" | "onProgress"> = {},
): Project | null {
  if (!existsSync(clone)) return null
  return openProject({
    ...flags,
    ...options,
    root: clone,
    cwd: clone,
    // Clones are named by their address, because the name of a clone's folder is an encoded address, and differs on a
    // team's node.
    name: repositoryName({ ...address, ref: null }),
    "index.dir": index,
    // The clone has no configured embedder: code of other repositories is not sent to one, and a sync must not wait
    // for a model. Built-in vectors need no embedder.
    "embeddings.provider": "static",
  })
}
