import { AmanError } from "../../base/errors.ts"
import { homeDir, resolvedOr } from "../../base/paths.ts"
import { loadReposConfig, type ReposConfig } from "../../config/load-server.ts"
import { type ConfigFlags, type Environment, settingsFiles } from "../../config/resolve.ts"
import type { SettingsFile } from "../../config/settings-file.ts"
import { formatAddress, parseAddress, type RepositoryAddress, repositoryName } from "../../repos/address.ts"
import {
  cloneFolder,
  folderName,
  indexFolder,
  type RepoPlaces,
  repositoryFolders,
} from "../../repos/folder-name.ts"
import { type RepoState, readManifest } from "../../repos/manifest.ts"
import type { ResultCommit } from "../answers.ts"

/** A repository other than the project, whether it is cloned or not. */
export type Repository = {
  /** Name of the clone's folder. */
  readonly id: string
  /** Display name, such as "github.com/owner/name"; the address if several repositories share that name. */
  readonly name: string
  readonly url: string
  readonly address: RepositoryAddress
  readonly clone: string
  readonly index: string
}

export type Configured = {
  readonly config: ReposConfig
  readonly places: RepoPlaces
  readonly repositories: readonly Repository[]
  /** State of each repository's clone, by the repository's id. */
  readonly states: () => Readonly<Record<string, RepoState>>
  /** Invalid addresses, each with the reason; valid ones still work. */
  readonly problems: readonly string[]
}

/** The repositories of these results, each with its indexed commit, in the order of `configured`. */
export function commitsOf(
  { repositories, states }: Configured,
  results: readonly { readonly repository?: string }[],
): ResultCommit[] {
  const [names, all] = [new Set(results.map(({ repository }) => repository)), states()]
  return repositories
    .filter(({ name }) => names.has(name))
    .map(({ id, name }) => ({ repository: name, commit: all[id]?.last_indexed ?? null }))
}

/**
 * Repositories named by settings files, environment and flags. Uses no network, and no files except settings.
 */
export function configuredRepositories(flags: ConfigFlags = {}, env: Environment = process.env): Configured {
  const config = loadReposConfig(flags, env)
  const places = repositoryFolders(resolvedOr(config.baseDir))
  const problems: string[] = []
  const byId = new Map<string, Repository>()
  for (const [at, url] of (config.isEnabled ? config.urls : []).entries()) {
    const repository = resultOrError(() => repositoryAt(url, places))
    if (repository instanceof AmanError) problems.push(`${ordinal(at)} of repos.urls: ${repository.message}`)
    else byId.set(repository.id, repository)
  }
  const states = () => readManifest(places.manifest).manifest.repos
  return { config, places, repositories: withOwnNames([...byId.values()]), states, problems }
}

/** Builds a repository from an address; relative folders are accepted only with `cwd`. */
export function repositoryAt(url: string, places: RepoPlaces, cwd: string | null = null): Repository {
  const address = parseAddress(url, { cwd, home: homeDir() })
  const text = formatAddress(address)
  const id = folderName(text)
  const folders = { clone: cloneFolder(places, id), index: indexFolder(places, id) }
  return { id, name: repositoryName(address), url: text, address, ...folders }
}

/**
 * Replaces the names of repositories that share a name (such as one address by https and one by ssh) by their
 * addresses.
 */
function withOwnNames(repositories: readonly Repository[]): Repository[] {
  const names = Map.groupBy(repositories, ({ name }) => name)
  return repositories.map((each) => (names.get(each.name)!.length === 1 ? each : { ...each, name: each.url }))
}

function resultOrError<T>(act: () => T): T | AmanError {
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

/** The user's settings file, which need not exist. */
export function userFile(): SettingsFile {
  const file = settingsFiles(null, process.env)[0]
  if (file) return file
  throw new AmanError("IO", "the folder of the user's settings is unknown", {
    hint: "set XDG_CONFIG_HOME or HOME, or list repositories in AMAN_REPOS_URLS",
  })
}

/** Addresses in the user's settings file, as written there. */
export function userUrls(file: SettingsFile): readonly string[] {
  const { inspectSettingsFile } =
    require("../../config/settings-file.ts") as typeof import("../../config/settings-file.ts")
  const { entries, problems } = inspectSettingsFile(file)
  if (problems.length > 0) throw problems[0]!
  return entries.flatMap(({ key, value }) => (key === "repos.urls" ? (value as string[]) : []))
}
