import type { ReposConfig } from "../../config/load-repos.ts"
import type { RepoState } from "../../repos/manifest.ts"

/** Whether a server should ask the remote for news. A clock that was set back must not put it off for ever. */
export function isDue(state: RepoState | undefined, { syncIntervalMs }: ReposConfig, now: Date): boolean {
  const at = state?.last_attempt
  if (!at) return true
  const ageMs = now.getTime() - Date.parse(at)
  return !(ageMs >= 0 && ageMs < syncIntervalMs)
}

/** Whether what is there is older than it should be: not asked in time, or asked in vain. */
export function isStale(state: RepoState | undefined, { syncIntervalMs }: ReposConfig, now: Date): boolean {
  const at = state?.last_pull
  if (!at || state?.error !== undefined) return true
  const ageMs = now.getTime() - Date.parse(at)
  return !(ageMs >= 0 && ageMs < 2 * syncIntervalMs)
}
