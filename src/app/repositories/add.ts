import { existsSync } from "node:fs"
import { AmanError } from "../../base/errors.ts"
import {
  type Configured,
  configuredRepositories,
  type Repository,
  repositoryAt,
  userFile,
  userUrls,
} from "./configured.ts"
import { type SyncOptions, type SyncReport, syncRepositories } from "./sync.ts"

export type AddedRepository = {
  readonly repository: string
  readonly url: string
  /** False if the repository was already configured. */
  readonly added: boolean
  /** Settings file that the repository was added to; null if it was already configured. */
  readonly file: string | null
  /** Result of the sync; null if none was requested. */
  readonly sync: SyncReport | null
}

export type AddOptions = SyncOptions & { readonly cwd: string; readonly withoutSync?: boolean }

/**
 * Clones and indexes a repository, then adds it to the user's settings, in this order so that a mistyped
 * address is not saved. Throws REPOSITORY if it cannot be fetched.
 */
export async function addRepository(written: string, options: AddOptions): Promise<AddedRepository> {
  const { cwd, withoutSync, flags = {} } = options
  const configured = configuredRepositories(flags)
  checkEnabled(configured)
  const wanted = repositoryAt(written, configured.places, cwd)
  const { url } = wanted
  const configuredAlready = configured.repositories.find(({ id }) => id === wanted.id)
  if (configuredAlready === undefined) checkNameIsFree(wanted, configured.repositories)
  const { name } = configuredAlready ?? wanted
  const sync = withoutSync
    ? null
    : await syncOrThrow(wanted, configured, options, configuredAlready === undefined)
  const file = configuredAlready === undefined ? await addToSettings(wanted) : null
  return { repository: name, url, added: configuredAlready === undefined, file, sync }
}

function checkEnabled({ config }: Configured): void {
  if (config.isEnabled) return
  throw new AmanError("USAGE", "other repositories are disabled", {
    hint: "run: aman config set repos.enabled true, or unset AMAN_REPOS_ENABLED",
  })
}

/** Throws USAGE if another repository has the same name: both could only be addressed by URL. */
function checkNameIsFree({ name }: Repository, others: readonly Repository[]): void {
  const other = others.find((each) => each.name === name)
  if (other === undefined) return
  throw new AmanError("USAGE", `${name} is already configured as ${other.url}`, {
    hint: `run aman repos remove ${name} first, or add a branch of it: #branch`,
  })
}

async function syncOrThrow(
  wanted: Repository,
  configured: Configured,
  options: SyncOptions,
  isNew: boolean,
): Promise<SyncReport> {
  // Deletes the partial clone of a repository that no settings file names, because it would be listed forever. The
  // settings are read again, because another process may have added the repository meanwhile.
  const isKept = () => isListed(wanted, options)
  const report = await syncRepositories(configured, [wanted], { ...options, isKept })
  const [one] = report.repositories
  if (one?.outcome !== "failed") return report
  throw new AmanError("REPOSITORY", `${one.repository}: ${one.error}`, {
    hint: isNew
      ? "it was not added; to add it without contacting its remote: --later"
      : "for details: aman repos status",
  })
}

/**
 * The state of an address after an interrupted add, for a message: another process may have cloned or added the
 * repository meanwhile.
 */
export function existingState(written: string, options: AddOptions): "nothing" | "clone" | "configured" {
  const wanted = repositoryAt(written, configuredRepositories(options.flags).places, options.cwd)
  if (isListed(wanted, options)) return "configured"
  return existsSync(wanted.clone) ? "clone" : "nothing"
}

function isListed({ id }: Repository, { flags }: SyncOptions): boolean {
  return configuredRepositories(flags).repositories.some((each) => each.id === id)
}

async function addToSettings({ url }: Repository): Promise<string> {
  const file = userFile()
  const { editSettings } = await import("../../config/edit-settings.ts")
  const urls = userUrls(file)
  if (!urls.includes(url)) editSettings(file, "repos.urls", [...urls, url])
  return file.path
}
