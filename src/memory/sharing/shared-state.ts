import { existsSync, readFileSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { cannotWrite } from "../../base/files/cannot-write.ts"
import { appendPrivate, replaceFile } from "../../base/files/create-file.ts"
import { sha256 } from "../../base/files/files.ts"
import { OpenFolder } from "../../base/files/open-folder.ts"
import { isObject, parseJson } from "../formats/json-value.ts"
import { isSharedFile } from "./shared-folder.ts"

/** State of sharing for a project folder whose entries a person shares. */
export type SharedState = {
  readonly root: string
  /** Name of the file in the shared folder to which this store writes. */
  readonly file: string
  /** `sharedStamp` of the folder when it was last read. */
  readonly stamp: string
  /** Id of the shared project; null when an earlier version recorded none. */
  readonly project: string | null
  /** True: changes of others are received without review, except those that affect entries written here. */
  readonly isTrusted: boolean
  /** Number of changes that wait for review, as of `stamp`. */
  readonly held: number
}

/**
 * The state for a project folder; null when it is not shared. It is stored in the user's data folder by the
 * path of the project, so that neither the project's content nor another clone can enable sharing.
 */
export function sharedState(dataDir: string, root: string): SharedState | null {
  const text = readOrEmpty(statePath(dataDir, root))
  const value = text === "" ? null : parseJson(text)
  if (!isObject(value)) return null
  const { root: known, file, stamp, project, isTrusted, held } = value
  if (typeof file !== "string" || !isSharedFile(file) || known !== root) return null
  return {
    root,
    file,
    // The state was written by an earlier version, which received everything without review, so the folder is checked
    // again.
    stamp: typeof stamp === "string" && typeof held === "number" ? stamp : "",
    project: typeof project === "string" ? project : null,
    isTrusted: isTrusted === true,
    held: typeof held === "number" ? held : 0,
  }
}

/**
 * Ids of a project's events received from its shared folder. All others in the store were written on this
 * machine or imported by its user. If the list is lost, all events count as written here, which makes the
 * checks stricter.
 */
export function receivedIds(dataDir: string, project: string): Set<string> {
  return new Set(readOrEmpty(receivedPath(dataDir, project)).split("\n").filter(Boolean))
}

export function addReceived(dataDir: string, project: string, ids: readonly string[]): void {
  if (ids.length === 0) return
  const path = receivedPath(dataDir, project)
  try {
    using folder = OpenFolder.open(dirname(path), { make: 0o700 })
    appendPrivate(join(folder.at, basename(path)), ids.map((id) => `${id}\n`).join(""))
  } catch (cause) {
    throw cannotWrite(path, cause, "make that folder writable, or set AMAN_DATA_DIR to another one")
  }
}

function receivedPath(dataDir: string, project: string): string {
  return join(dataDir, FOLDER, `${hashedFileName(project)}.received`)
}

export function saveSharedState(dataDir: string, state: SharedState): void {
  const path = statePath(dataDir, state.root)
  try {
    using folder = OpenFolder.open(dirname(path), { make: 0o700 })
    replaceFile(join(folder.at, basename(path)), JSON.stringify(state))
  } catch (cause) {
    throw cannotWrite(path, cause, "make that folder writable, or set AMAN_DATA_DIR to another one")
  }
}

/** Stops sharing; the project's shared folder stays as it is. */
export function forgetSharedState(dataDir: string, root: string): void {
  using folder = OpenFolder.open(join(dataDir, FOLDER))
  if (folder !== null) rmSync(join(folder.at, basename(statePath(dataDir, root))), { force: true })
}

const FOLDER = "shared-memory"

function statePath(dataDir: string, root: string): string {
  return join(dataDir, FOLDER, `${hashedFileName(root)}.json`)
}

/** Hash of a path or id as a file name; cached, because it is needed before each recall. */
function hashedFileName(root: string): string {
  const name = names.get(root) ?? sha256(root).slice(0, 32)
  names.set(root, name)
  return name
}

const names = new Map<string, string>()

/**
 * Content of a file; "" when it does not exist, which is the usual case. It is read before each recall, and
 * checking for existence is cheaper than a thrown error.
 */
function readOrEmpty(path: string): string {
  try {
    return existsSync(path) ? readFileSync(path, "utf8") : ""
  } catch {
    return ""
  }
}
