import { existsSync, readdirSync } from "node:fs"
import { OpenFolder } from "../../base/files/open-folder.ts"
import type { ReposConfig } from "../../config/load-server.ts"
import { indexFolderSize } from "../../index/index-folder.ts"
import { addressIn, type RepoPlaces } from "../../repos/folder-name.ts"
import { newState, type RepoState, readManifest } from "../../repos/manifest.ts"
import { LeaderLock } from "../../store/lock/lead.ts"
import { type Configured, type Repository, repositoryAt } from "./configured.ts"

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
  readonly enabled: boolean
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
    enabled: config.isEnabled,
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
