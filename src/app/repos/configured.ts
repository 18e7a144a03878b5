import { realpathSync } from "node:fs"
import { AmanError } from "../../base/errors.ts"
import { homeDir } from "../../base/paths.ts"
import { loadReposConfig, type ReposConfig } from "../../config/load-repos.ts"
import type { ConfigFlags, Environment } from "../../config/resolve.ts"
import { type Address, formatAddress, nameOf, parseAddress } from "../../repos/address.ts"
import { folderName } from "../../repos/folder-name.ts"
import { cloneFolder, indexFolder, placesIn, type RepoPlaces } from "../../repos/places.ts"

/** One other repository, whether it has been cloned yet or not. */
export type Repository = {
  /** The name of its clone's folder. */
  readonly id: string
  /** What people and agents call it: "github.com/owner/name". */
  readonly name: string
  readonly url: string
  readonly address: Address
  readonly clone: string
  readonly index: string
}

export type Configured = {
  readonly config: ReposConfig
  readonly places: RepoPlaces
  readonly repositories: readonly Repository[]
  /** Addresses that cannot be taken, each with the reason; the others do not suffer from them. */
  readonly problems: readonly string[]
}

/** The repositories that files, environment and flags name. Touches neither network nor disk, settings aside. */
export function configuredRepositories(flags: ConfigFlags = {}, env: Environment = process.env): Configured {
  const config = loadReposConfig(flags, env)
  const places = placesIn(realPath(config.baseDir))
  const problems: string[] = []
  const byId = new Map<string, Repository>()
  for (const [at, url] of (config.isEnabled ? config.urls : []).entries()) {
    const found = attempt(() => repositoryAt(url, places))
    if (found instanceof AmanError) problems.push(`${ordinal(at)} of repos.urls: ${found.message}`)
    else byId.set(found.id, found)
  }
  return { config, places, repositories: withOwnNames([...byId.values()]), problems }
}

/** By an address that somebody wrote; a relative folder only where `cwd` says what it is relative to. */
export function repositoryAt(url: string, places: RepoPlaces, cwd: string | null = null): Repository {
  const address = parseAddress(url, { cwd, home: homeDir() })
  const text = formatAddress(address)
  const id = folderName(text)
  const folders = { clone: cloneFolder(places, id), index: indexFolder(places, id) }
  return { id, name: nameOf(address), url: text, address, ...folders }
}

/** Two that would be called alike, by https and by ssh for one, are called by their addresses. */
function withOwnNames(repositories: readonly Repository[]): Repository[] {
  const names = Map.groupBy(repositories, ({ name }) => name)
  return repositories.map((each) => (names.get(each.name)!.length === 1 ? each : { ...each, name: each.url }))
}

function attempt<T>(act: () => T): T | AmanError {
  try {
    return act()
  } catch (error) {
    if (error instanceof AmanError) return error
    throw error
  }
}

function ordinal(at: number): string {
  return `address ${at + 1}`
}

/** Indexes know their roots by real paths. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
