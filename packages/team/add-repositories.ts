import { existsSync } from "node:fs"
import { isAbsolute } from "node:path"
import { formatAddress, parseAddress, remoteBranches, repositoryName } from "../../src/ask/index.ts"
import { AmanError, homeDir, loadReposConfig } from "../../src/base/index.ts"
import { plural } from "../../src/doors/index.ts"
import type { Catalogue } from "./catalogue/catalogue.ts"
import { addRepository, MAX_BRANCHES, matchingBranches } from "./catalogue/repositories.ts"
import type { Outcome } from "./team-command.ts"

type AddOptions = {
  readonly cwd: string
  readonly signal: AbortSignal
  /** Not asked whether it can be reached. */
  readonly isUnchecked: boolean
  /** Patterns of branches that are indexed beside the default one. */
  readonly patterns: readonly string[]
}

/** Adds a repository, after a look at its branches. Throws USAGE, NOT_NEW, REPOSITORY. */
export async function addOne(
  catalogue: Catalogue,
  who: string,
  url: string,
  { cwd, signal, isUnchecked, patterns }: AddOptions,
): Promise<Outcome> {
  const address = parseAddress(url, { cwd, home: homeDir() })
  const isTypedFolder = address.kind === "file" && !isAbsolute(url) && !url.startsWith("file:")
  if (isTypedFolder && !existsSync(address.path))
    throw new AmanError("USAGE", `${JSON.stringify(url)} is neither an address nor a folder here`, {
      hint: "for example: aman team add https://github.com/owner/name",
    })
  if (patterns.length > 0 && address.ref !== null)
    throw new AmanError("USAGE", "--branch is for an address without a branch", {
      hint: "leave out what follows #, so that the default branch is indexed, too",
    })
  const reached = isUnchecked ? null : await reachedBranches(address, signal)
  const branch = reached?.fetched ?? null
  const branches = matchingBranches(reached?.branches ?? [], patterns, branch)
  if (branches.length > MAX_BRANCHES)
    throw new AmanError(
      "USAGE",
      `${plural(branches.length, "branch")} match, and at most ${MAX_BRANCHES} of a repository are indexed`,
      { hint: "choose patterns that match fewer, such as --branch 'release/*'" },
    )
  const repository = repositoryName(address)
  const added = { name: repository, url: formatAddress(address), branches: patterns }
  const isNew = await addRepository(catalogue, who, added)
  const named = branch === null ? "" : ` (branch ${branch})`
  const beside = patterns.length === 0 ? "" : ` with ${plural(branches.length, "branch")} beside it`
  const text = isNew
    ? `added ${repository}${named}${beside}; a worker indexes it, and a team may read it once granted`
    : `${repository}${named} is now indexed${beside}`
  return { json: { repository, branch, branches }, text: [text] }
}

/**
 * The branch that a worker will index, null for a repository without commits, and all branches. Throws REPOSITORY if it cannot
 * be reached, or does not have the branch that the address names.
 */
async function reachedBranches(address: ReturnType<typeof parseAddress>, signal: AbortSignal) {
  const { maxMemoryBytes } = loadReposConfig().limits
  return await remoteBranches(address, { signal, stallMs: REACH_MS, maxMemoryBytes }).catch((error) => {
    if (!(error instanceof AmanError)) throw error
    throw new AmanError(error.code, error.message, {
      hint: `${error.hint}; if only a worker can reach it, add it with --unchecked`,
      cause: error,
    })
  })
}

/** Time in ms within which a repository that is added has to answer. */
const REACH_MS = 30_000
