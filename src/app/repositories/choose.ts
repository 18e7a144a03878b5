import { AmanError } from "../../base/errors.ts"
import { nearest } from "../../base/nearest.ts"
import { ALL, TEAM_PREFIX } from "../team/client/client.ts"
import type { Configured, Repository } from "./configured.ts"

/**
 * The part of a name after "team:", which selects a repository of the team's server; null for a name without that
 * prefix, which selects repositories of this machine.
 */
export function teamName(wanted: string): string | null {
  const text = wanted.trim()
  return text.startsWith(TEAM_PREFIX) ? text.slice(TEAM_PREFIX.length).trim() || ALL : null
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

export function notConfigured({ config, problems }: Configured): AmanError {
  if (!config.isEnabled) {
    return new AmanError("NOT_FOUND", "other repositories are disabled", {
      hint: "run: aman config set repos.enabled true, or unset AMAN_REPOS_ENABLED",
    })
  }
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
