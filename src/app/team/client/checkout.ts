import { isCommitId, runGit } from "../../../git/run/run.ts"
import { statAt } from "../../../index/changes/rescan.ts"
import { repositoryOf } from "../../../memory/projects/repository.ts"
import type { Project } from "../../project/open-project.ts"
import { TEAM_PREFIX } from "../../repositories/choose.ts"
import { type TeamClient, teamNameOf } from "./client.ts"

/** A project that is a checkout of one of the team's repositories. */
export type Checkout = {
  readonly root: string
  /** Name of the repository on the team's server. */
  readonly repository: string
  /** The commit that the team has indexed. */
  readonly commit: string
  /**
   * The newest commit that both have; HEAD if it is unknown. The checkout has deleted a file of it that is not here.
   */
  readonly base: string
  /** True if the checkout has all commits of the team, so that only deleted files of the team are not here. */
  readonly isCurrent: boolean
}

const GIT_LIMITS = { timeoutMs: 5000, maxBytes: 8 << 20 }

/** Paths that one call of git gets. */
const PATHS_AT_ONCE = 200

/**
 * The checkout that the project is, if the user may read its repository on the server and `team` selects it; else null.
 * The server does not learn the name of a repository that it does not have.
 */
export async function checkoutOf(
  project: Project,
  team: string,
  client: TeamClient,
): Promise<Checkout | null> {
  const own = repositoryNameHere(project)
  if (own === null) return null
  const name = own.slice(TEAM_PREFIX.length)
  const listed = await client.repositoriesNamed(name, team)
  const published = listed.find(({ repository }) => repository === name)
  return published === undefined ? null : checkoutAt(project.root, name, published.commit)
}

/** The checkout of a repository of which the team has indexed this commit. */
export async function checkoutAt(root: string, repository: string, commit: string): Promise<Checkout> {
  const found = isCommitId(commit)
    ? await runGit(["merge-base", "HEAD", commit], { cwd: root, ...GIT_LIMITS })
    : null
  const common = found?.ok === true ? found.stdout.trim() : null
  return { root, repository, commit, base: common ?? "HEAD", isCurrent: common === commit }
}

/** Those of the paths in the team's commit that are not here and have not been deleted here. */
export async function newInTeam(
  { root, base, isCurrent }: Checkout,
  paths: Iterable<string>,
): Promise<ReadonlySet<string>> {
  const unknown = new Set(isCurrent ? [] : paths)
  for (const path of unknown) if (statAt(`${root}/${path}`) !== undefined) unknown.delete(path)
  const all = [...unknown]
  for (let at = 0; at < all.length; at += PATHS_AT_ONCE) {
    const some = all.slice(at, at + PATHS_AT_ONCE)
    const args = ["ls-tree", "-z", "--name-only", "--full-tree", "--", base, ...some]
    const listed = await runGit(args, { cwd: root, ...GIT_LIMITS })
    for (const path of listed.ok ? listed.stdout.split("\0") : []) unknown.delete(path)
  }
  return unknown
}

/**
 * The name, with "team:", that the team's repository of this project would have; null if the project is not the root of
 * a clone with a remote, or has no index.
 */
export function teamRepositoryHere(project: Project): string | null {
  return project.reader() === null ? null : repositoryNameHere(project)
}

/** The same for a project that may have no index. */
export function repositoryNameHere({ root }: Project): string | null {
  const repository = repositoryOf(root)
  const name = repository === null || repository.way !== "" ? null : teamNameOf(repository.workTree)
  return name === null ? null : `${TEAM_PREFIX}${name}`
}
