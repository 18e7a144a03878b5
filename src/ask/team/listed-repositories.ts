import { AmanError } from "../../base/index.ts"
import { isLoggedIn, type ReadableRepository, TEAM_PREFIX, TeamClient, teamLogin } from "../../index/index.ts"

export type ListedRepositories = {
  /** Named with "team:", as other commands and tools take them. */
  readonly repositories: readonly ReadableRepository[]
  readonly notices: readonly string[]
}

/** Max time in ms to wait for the server: the list of clones does not depend on it. */
const TIMEOUT_MS = 5000
/** Max number of repositories listed at once. */
const MAX_LISTED = 100

/**
 * The team's repositories whose name contains `wanted` ("*": all) that the user may read; none without a login. If the
 * server does not answer, a notice says so.
 */
export async function listedRepositories(wanted: string): Promise<ListedRepositories> {
  if (!isLoggedIn()) return { repositories: [], notices: [] }
  try {
    const part = wanted.toLowerCase().replace(TEAM_PREFIX, "")
    const all = await new TeamClient(teamLogin(), TIMEOUT_MS).repositories()
    const found = all.filter(({ repository }) => part === "*" || repository.toLowerCase().includes(part))
    const left = found.length - MAX_LISTED
    const repositories = found
      .slice(0, MAX_LISTED)
      .map((each) => ({ ...each, repository: `${TEAM_PREFIX}${each.repository}` }))
    return { repositories, notices: left > 0 ? [`${left} more of the team's repositories; name a part`] : [] }
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    return { repositories: [], notices: [`the team's repositories are not listed: ${error.message}`] }
  }
}
