import type { ConfigFlags } from "../../config/resolve.ts"
import { atMost } from "../../repos/at-most.ts"
import { type RepoState, readManifest } from "../../repos/manifest.ts"
import type { Configured, Repository } from "./configured.ts"
import { dropRepository, isOnDisk } from "./drop.ts"
import { isDue } from "./due.ts"
import { leadRepositories } from "./lead-repositories.ts"
import { Ledger } from "./ledger.ts"
import { RepositorySync, reportOf, type SyncEvent, type SyncedRepository, Turns } from "./sync-repository.ts"

export type { SyncEvent, SyncedRepository }

export type SyncOptions = {
  readonly flags?: ConfigFlags
  readonly signal?: AbortSignal | undefined
  /** Only those whose interval is over. */
  readonly onlyDue?: boolean
  readonly now?: () => Date
  readonly onEvent?: (event: SyncEvent) => void
  /** Asked of one that this very run was the first to fetch, in vain or interrupted: false deletes what is there. */
  readonly isKept?: (repository: Repository) => boolean
}

export type SyncReport = {
  readonly repositories: readonly SyncedRepository[]
  /** Another aman was at it for longer than repos.sync_timeout: what is there is served as it is. */
  readonly stale: boolean
  readonly took_ms: number
  readonly notices: readonly string[]
}

// More at once do not make the network faster.
const MOST_AT_ONCE = 4

/**
 * Brings clones and indexes to what their remotes have. One process at a time does: others wait for it, up to
 * repos.sync_timeout, and then serve what is there. The failure of one repository is kept with it.
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
    const notice = "another aman is syncing these repositories; until it has, answers come from what is there"
    return { repositories: [], stale: true, took_ms: took(), notices: [...problems, notice] }
  }
  const ledger = new Ledger(places.manifest, lead)
  const indexing = new Turns()
  const repositories = await atMost(MOST_AT_ONCE, wanted, (repository) => {
    const state = ledger.of(repository)
    if (isMeanwhile(state, askedAt) || (options.onlyDue && !isDue(state, config, now()))) {
      return Promise.resolve(reportOf(repository, state, "by another"))
    }
    const sync = new RepositorySync(repository, config, ledger, indexing, { ...options, now })
    return orDropped(repository, ledger, options.isKept ?? (() => true), () => sync.run())
  })
  ledger.finish(now())
  return { repositories, stale: false, took_ms: took(), notices: [...problems, ...ledger.notices] }
}

/** Nothing that was there before this run took the lead is ever dropped: it may be another's. */
async function orDropped(
  repository: Repository,
  ledger: Ledger,
  isKept: (repository: Repository) => boolean,
  sync: () => Promise<SyncedRepository>,
): Promise<SyncedRepository> {
  const isOurs = !isOnDisk(repository, ledger)
  let isDone = false
  try {
    const report = await sync()
    isDone = report.outcome !== "failed"
    return report
  } finally {
    if (isOurs && !isDone && ledger.isOurs && !isKept(repository)) dropRepository(repository, ledger)
  }
}

/** Whether another process has synced it since we were asked to. */
function isMeanwhile({ last_attempt }: RepoState, askedAt: number): boolean {
  return last_attempt !== null && Date.parse(last_attempt) > askedAt
}

/** True where any of them is due: cheap enough to ask often. */
export function isAnyDue({ config, places, repositories }: Configured, now: Date): boolean {
  if (repositories.length === 0) return false
  const { repos } = readManifest(places.manifest).manifest
  return repositories.some(({ id }) => isDue(repos[id], config, now))
}
