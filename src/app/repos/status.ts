import { existsSync, readdirSync } from "node:fs"
import { indexFolderSize } from "../../indexing/index-folder.ts"
import { addressIn } from "../../repos/folder-name.ts"
import { newState, type RepoState, readManifest } from "../../repos/manifest.ts"
import type { RepoPlaces } from "../../repos/places.ts"
import { Lead } from "../../store/lead.ts"
import { type Configured, type Repository, repositoryAt } from "./configured.ts"
import { isStale } from "./due.ts"

export type RepositoryStatus = {
  readonly repository: string
  readonly url: string
  /**
   * ready; pending: never cloned; indexing: cloned or fetched, and not indexed as it is now; empty: without commits;
   * failed: the last sync was in vain; unlisted: on disk, and not configured any more.
   */
  readonly state: "ready" | "pending" | "indexing" | "empty" | "failed" | "unlisted"
  /** Answers come from it, though maybe from an earlier state. */
  readonly searchable: boolean
  /** Not asked in time, or asked in vain: its remote may have moved on. */
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
  /** Some process is at it now; null where that cannot be told. */
  readonly syncing: boolean | null
  readonly repositories: readonly RepositoryStatus[]
  readonly notices: readonly string[]
}

/** What is configured, what is there of it, and how it does. `isSyncing`: this process is at it. */
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
    syncing: isSyncing || Lead.isHeld(places.state),
    repositories: [...listed, ...unlisted],
    notices: [...problems, ...(damage === null ? [] : [`${damage}; the next sync makes it anew`])],
  }
}

/** On disk and not configured any more: searched by nobody, deleted on request. */
export function unlistedRepositories({ places, repositories }: Configured): Repository[] {
  const known = new Set(repositories.map(({ id }) => id))
  return cloned(places).flatMap((id) => {
    const address = known.has(id) ? null : addressIn(id)
    if (address === null) return []
    try {
      return [repositoryAt(address, places)]
    } catch {
      // Somebody else's folder.
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
    state: stateOf(state),
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

function stateOf({ error, last_pull, last_commit, last_indexed }: RepoState): RepositoryStatus["state"] {
  if (error !== undefined) return "failed"
  if (last_pull === null) return "pending"
  if (last_commit === null) return "empty"
  return last_indexed === last_commit ? "ready" : "indexing"
}
