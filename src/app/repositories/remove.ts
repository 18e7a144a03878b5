import { AmanError } from "../../base/errors.ts"
import type { ConfigFlags } from "../../config/resolve.ts"
import { chooseRepository } from "./choose.ts"
import {
  type Configured,
  configuredRepositories,
  type Repository,
  repositoryAt,
  userFile,
  userUrls,
} from "./configured.ts"
import { leadRepositories } from "./lead-repositories.ts"
import { dropRepository, ManifestWriter } from "./manifest-writer.ts"
import { unlistedRepositories } from "./status.ts"

export type RemovedRepository = {
  readonly repository: string
  readonly url: string
  /** Settings file from which the repository was removed; null if no file named it. */
  readonly file: string | null
}

/**
 * Removes a repository from the user's settings and deletes its clone and index. Also deletes a repository that is no
 * longer in the settings.
 */
export async function removeRepository(
  wanted: string,
  { flags = {}, signal }: { readonly flags?: ConfigFlags; readonly signal?: AbortSignal } = {},
): Promise<RemovedRepository> {
  const configured = configuredRepositories(flags)
  const all = [...configured.repositories, ...unlistedRepositories(configured)]
  const repository = chooseRepository({ ...configured, repositories: all }, wanted)
  const isListed = configured.repositories.includes(repository)
  const file = isListed ? await removeFromSettings(repository, configured) : null
  await removeFromDisk(configured, [repository], signal)
  return { repository: repository.name, url: repository.url, file }
}

/** Deletes all repositories on disk that are no longer configured. */
export async function removeUnlisted({
  flags = {},
  signal,
}: {
  readonly flags?: ConfigFlags
  readonly signal?: AbortSignal
} = {}): Promise<RemovedRepository[]> {
  const configured = configuredRepositories(flags)
  const unlisted = unlistedRepositories(configured)
  await removeFromDisk(configured, unlisted, signal)
  return unlisted.map(({ name, url }) => ({ repository: name, url, file: null }))
}

/** Deletes clones, indexes and manifest entries. */
async function removeFromDisk(
  configured: Configured,
  repositories: readonly Repository[],
  signal?: AbortSignal,
): Promise<void> {
  if (repositories.length === 0) return
  using lead = await leadRepositories(configured, signal)
  if (lead === null) {
    throw new AmanError(
      "REPOS_BUSY",
      "another aman process is syncing the repositories, so nothing was deleted",
      {
        hint: "try again later: aman repos remove --unlisted",
      },
    )
  }
  const manifest = new ManifestWriter(configured.places.manifest, lead)
  for (const repository of repositories) dropRepository(repository, manifest)
}

async function removeFromSettings(repository: Repository, { places, config }: Configured): Promise<string> {
  const file = userFile()
  const isSame = (url: string) => repositoryId(url, places) === repository.id
  const inUserFile = userUrls(file)
  const elsewhere = config.urls.filter(isSame).length - inUserFile.filter(isSame).length
  if (elsewhere > 0) {
    throw new AmanError("USAGE", `${repository.name} is configured by AMAN_REPOS_URLS or --repos-urls`, {
      hint: "remove it there, then run: aman repos remove --unlisted",
    })
  }
  const { editSettings } = await import("../../config/edit-settings.ts")
  const rest = inUserFile.filter((url) => !isSame(url))
  editSettings(file, "repos.urls", rest)
  return file.path
}

function repositoryId(url: string, places: Configured["places"]): string | null {
  try {
    return repositoryAt(url, places).id
  } catch {
    return null
  }
}
