import { existsSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { isAbsolute, resolve } from "node:path"
import { formatAddress, parseAddress, remoteBranches, repositoryName } from "../../src/ask/index.ts"
import { AmanError, findProgram, homeDir, loadReposConfig } from "../../src/base/index.ts"
import { plural, standardInput } from "../../src/doors/index.ts"
import type { Catalogue } from "./catalogue/catalogue.ts"
import { addRepository, MAX_BRANCHES, matchingBranches, nameMatcher } from "./catalogue/repositories.ts"
import { forgeRepositories, listedUrls } from "./discover.ts"
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

type ListOptions = Pick<AddOptions, "cwd" | "signal" | "patterns"> & {
  /** A file, "-" for standard input, or an owner on a forge; see `forgeRepositories`. */
  readonly from: string
  /** Patterns of names that are left out. */
  readonly excluded: readonly string[]
}

/**
 * Adds the repositories of a list or of a forge that the team does not have. They are not reached first: a worker says which
 * ones it cannot fetch. Throws USAGE, IO, TEAM.
 */
export async function addListed(
  catalogue: Catalogue,
  who: string,
  { from, excluded, patterns, cwd, signal }: ListOptions,
): Promise<Outcome> {
  const found = (await forgeRepositories(from, forgeToken, signal)) ?? {
    ...{ urls: listedUrls(await listAt(from, cwd, signal)), archived: 0, elsewhere: 0 },
  }
  const isExcluded = excluded.map(nameMatcher)
  const [added, known, leftOut] = [[] as string[], [] as string[], [] as string[]]
  for (const [at, written] of found.urls.entries()) {
    const address = addressAt(written, at, cwd)
    const name = repositoryName(address)
    const request = { name, url: formatAddress(address), branches: address.ref === null ? patterns : [] }
    if (isExcluded.some((matches) => matches(name))) leftOut.push(name)
    else if (await isAdded(catalogue, who, request)) added.push(name)
    else known.push(name)
  }
  const { archived, elsewhere } = found
  const head = `added ${added.length}; the team had ${known.length}; left out: ${leftOut.length}`
  const others = `${elsewhere} with an address of another host: add those that you trust from a file`
  return {
    json: { added, known, excluded: leftOut, archived, elsewhere },
    text: [
      `${head}${archived === 0 ? "" : `, and ${archived} archived`}${elsewhere === 0 ? "" : `, and ${others}`}`,
      ...added.map((name) => `  ${name}`),
    ],
  }
}

async function isAdded(...args: Parameters<typeof addRepository>): Promise<boolean> {
  try {
    return await addRepository(...args)
  } catch (error) {
    if (error instanceof AmanError && error.code === "NOT_NEW") return false
    throw error
  }
}

/** The address in the entry at this position of a list; an error names the entry by its number, as it may have a password. */
function addressAt(written: string, at: number, cwd: string): ReturnType<typeof parseAddress> {
  try {
    return parseAddress(written, { cwd, home: homeDir() })
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    throw new AmanError(error.code, `entry ${at + 1} of the list: ${error.message}`, {
      hint: `${error.hint}; the entries before it are added`,
      cause: error,
    })
  }
}

async function listAt(from: string, cwd: string, signal: AbortSignal): Promise<string> {
  if (from === "-") return standardInput(signal)
  try {
    return readFileSync(resolve(cwd, from), "utf8")
  } catch (cause) {
    throw new AmanError("IO", `the list ${JSON.stringify(from)} cannot be read`, {
      hint: "give a file with an address a line, - for standard input, or github:OWNER, gitlab:GROUP, gitea:URL/OWNER",
      cause,
    })
  }
}

/**
 * The token of AMAN_TEAM_FORGE_TOKEN, else the password that git's credential helper has for the site; null without one.
 * Throws TEAM if there is no git to ask.
 */
async function forgeToken({ protocol, host }: URL): Promise<string | null> {
  const given = process.env["AMAN_TEAM_FORGE_TOKEN"]
  if (given !== undefined && given !== "") return given
  const asked = `protocol=${protocol.slice(0, -1)}\nhost=${host}\n\n`
  const git = findProgram("git")
  if (git === null)
    throw new AmanError(
      "TEAM",
      `no token is set, and git, which may have one for ${host}, is not installed`,
      {
        hint: "set AMAN_TEAM_FORGE_TOKEN to a token of the forge, or install git",
      },
    )
  const helper = Bun.spawn([git, "credential", "fill"], {
    ...{ cwd: tmpdir(), stdin: Buffer.from(asked), stdout: "pipe", stderr: "ignore", timeout: HELPER_MS },
    env: { ...process.env, GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", SSH_ASKPASS: "" },
  })
  const answer = await helper.stdout.text()
  return /^password=(.+)$/m.exec(answer)?.[1] ?? null
}

const HELPER_MS = 5000
