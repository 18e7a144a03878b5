import { readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { cannotWrite, OpenFolder, replaceFile } from "../../base/index.ts"
import { addressIn } from "./address.ts"

/** The state of one clone. Times are in ISO 8601; null means never. */
export type RepoState = {
  /** Address of the repository. It contains no password, because such addresses are refused. */
  readonly url: string
  readonly cloned_at: string | null
  /** When the remote last answered. */
  readonly last_pull: string | null
  /** When the remote was last contacted. */
  readonly last_attempt: string | null
  /** The commit that is checked out in the clone; null if the repository has no commits. */
  readonly last_commit: string | null
  readonly last_indexed: string | null
  readonly file_count: number
  readonly error?: string
  readonly error_at?: string
}

export type Manifest = {
  readonly version: 1
  readonly last_sync: string | null
  /** The state of each clone, by the name of its folder. */
  readonly repos: Readonly<Record<string, RepoState>>
}

export type ReadManifest = {
  readonly manifest: Manifest
  /** Why the existing manifest could not be read; null if it could be read or there is none. */
  readonly damage: string | null
}

const EMPTY: Manifest = { version: 1, last_sync: null, repos: {} }
const VERSION = 1

/**
 * Reads the manifest. It is empty if there is none or if it cannot be read; nothing is lost then, because the clones
 * themselves contain the data.
 */
export function readManifest(path: string): ReadManifest {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    const code = (error as { code?: string }).code
    return { manifest: EMPTY, damage: code === "ENOENT" ? null : `${path} cannot be read` }
  }
  const read = parseRepositories(text)
  return read === null ? { manifest: EMPTY, damage: `${path} is damaged` } : { manifest: read, damage: null }
}

export function newState(url: string): RepoState {
  return {
    url,
    cloned_at: null,
    last_pull: null,
    last_attempt: null,
    last_commit: null,
    last_indexed: null,
    file_count: 0,
  }
}

/** Replaces the manifest atomically. Only the leader may call this. */
export function writeManifest(path: string, manifest: Manifest): void {
  try {
    using folder = OpenFolder.open(dirname(path), { make: 0o700 })
    replaceFile(join(folder.at, basename(path)), `${JSON.stringify(manifest, null, 2)}\n`, { isSynced: true })
  } catch (cause) {
    throw cannotWrite(path, cause, "make its folder writable, or set AMAN_DATA_DIR to another one")
  }
}

function parseRepositories(text: string): Manifest | null {
  try {
    const { version, last_sync, repos } = JSON.parse(text)
    if (version !== VERSION || typeof repos !== "object" || repos === null) return null
    const states = Object.entries(repos).flatMap(([id, stored]) => {
      const url = addressIn(id)
      return url === null ? [] : [[id, stateOf(url, stored as Partial<RepoState>)] as const]
    })
    return { version, last_sync: textOrNull(last_sync), repos: Object.fromEntries(states) }
  } catch {
    return null
  }
}

function stateOf(url: string, stored: Partial<RepoState> | null): RepoState {
  const { error, error_at } = stored ?? {}
  return {
    url,
    cloned_at: textOrNull(stored?.cloned_at),
    last_pull: textOrNull(stored?.last_pull),
    last_attempt: textOrNull(stored?.last_attempt),
    last_commit: textOrNull(stored?.last_commit),
    last_indexed: textOrNull(stored?.last_indexed),
    file_count: typeof stored?.file_count === "number" ? stored.file_count : 0,
    ...(typeof error === "string" ? { error } : {}),
    ...(typeof error_at === "string" ? { error_at } : {}),
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null
}
