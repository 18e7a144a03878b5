import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs"
import { dirname } from "node:path"
import { cannotWrite } from "../base/cannot-write.ts"
import { addressIn } from "./folder-name.ts"

/** What is known of one clone. Times are ISO 8601; null: never. Fields as in seed 003, 4.2, and when an error was. */
export type RepoState = {
  /** Its address, which holds no password: none is ever taken. */
  readonly url: string
  readonly cloned_at: string | null
  /** The last time that the remote answered. */
  readonly last_pull: string | null
  /** The last time it was asked. */
  readonly last_attempt: string | null
  /** What the clone holds; null where the repository has no commits. */
  readonly last_commit: string | null
  readonly last_indexed: string | null
  readonly file_count: number
  readonly error?: string
  readonly error_at?: string
}

export type Manifest = {
  readonly version: 1
  readonly last_sync: string | null
  /** By the name of the clone's folder. */
  readonly repos: Readonly<Record<string, RepoState>>
}

export type ReadManifest = {
  readonly manifest: Manifest
  /** Why a manifest that is there says nothing. */
  readonly damage: string | null
}

const EMPTY: Manifest = { version: 1, last_sync: null, repos: {} }
const VERSION = 1

/** The manifest, or an empty one where there is none or it cannot be read: the clones themselves are the truth. */
export function readManifest(path: string): ReadManifest {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    const code = (error as { code?: string }).code
    return { manifest: EMPTY, damage: code === "ENOENT" ? null : `${path} cannot be read` }
  }
  const read = parse(text)
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

/** Whole or not at all, whatever happens meanwhile. Only for the process that leads. */
export function writeManifest(path: string, manifest: Manifest): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    drop(temporary)
    const file = openSync(temporary, "wx", 0o600)
    try {
      writeSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (cause) {
    drop(temporary)
    throw cannotWrite(path, cause, "make its folder writable, or name another one with AMAN_REPOS_BASE_DIR")
  }
}

/** If it can be: what is in the way says so when it is written. */
function drop(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {}
}

function parse(text: string): Manifest | null {
  try {
    const { version, last_sync, repos } = JSON.parse(text)
    if (version !== VERSION || typeof repos !== "object" || repos === null) return null
    const states = Object.entries(repos).flatMap(([id, found]) => {
      const url = addressIn(id)
      return url === null ? [] : [[id, stateOf(url, found as Partial<RepoState>)] as const]
    })
    return { version, last_sync: textOf(last_sync), repos: Object.fromEntries(states) }
  } catch {
    return null
  }
}

function stateOf(url: string, found: Partial<RepoState> | null): RepoState {
  const { error, error_at } = found ?? {}
  return {
    url,
    cloned_at: textOf(found?.cloned_at),
    last_pull: textOf(found?.last_pull),
    last_attempt: textOf(found?.last_attempt),
    last_commit: textOf(found?.last_commit),
    last_indexed: textOf(found?.last_indexed),
    file_count: typeof found?.file_count === "number" ? found.file_count : 0,
    ...(typeof error === "string" ? { error } : {}),
    ...(typeof error_at === "string" ? { error_at } : {}),
  }
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null
}
