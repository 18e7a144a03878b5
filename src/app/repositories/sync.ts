import type { ConfigFlags } from "../../config/resolve.ts"
import { type RepoState, readManifest } from "../../repos/manifest.ts"
import type { Configured, Repository } from "./configured.ts"
import { leadRepositories } from "./lead-repositories.ts"
import { dropRepository, isOnDisk, ManifestWriter } from "./manifest-writer.ts"
import { isDue } from "./status.ts"
import {
  IndexJobQueue,
  RepositorySync,
  reportOf,
  type SyncEvent,
  type SyncedRepository,
} from "./sync-repository.ts"

export type { SyncEvent, SyncedRepository }

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
  /** True if another aman was syncing for longer than repos.sync_timeout; the current clones are used. */
  readonly stale: boolean
  readonly took_ms: number
  readonly notices: readonly string[]
}

// More parallel fetches do not make the network faster.
const MAX_AT_ONCE = 4

/**
 * Updates clones and indexes from their remotes. One process at a time syncs: others wait up to
 * repos.sync_timeout, then use the current clones. The failure of one repository is stored in its state.
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
