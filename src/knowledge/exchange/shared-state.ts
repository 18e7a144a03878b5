import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cannotWrite } from "../../base/cannot-write.ts"
import { sha256 } from "../../base/sha256.ts"
import { isObject, parseJson } from "./json-value.ts"
import { isSharedFile } from "./shared-folder.ts"

/** That a person shares the knowledge of the project in this folder, and how far that has gone. */
export type SharedState = {
  readonly root: string
  /** The file of the folder into which this store writes. */
  readonly file: string
  /** Of the folder when it was last read. */
  readonly stamp: string
}

/**
 * Kept in the user's data folder and by the project's folder: a project can switch nothing on by what it brings, and
 * neither can another clone of it.
 */
export function sharedState(dataDir: string, root: string): SharedState | null {
  const text = textOf(statePath(dataDir, root))
  const value = text === "" ? null : parseJson(text)
  if (!isObject(value)) return null
  const { root: known, file, stamp } = value
  if (typeof file !== "string" || !isSharedFile(file) || known !== root) return null
  return { root, file, stamp: typeof stamp === "string" ? stamp : "" }
}

export function saveSharedState(dataDir: string, state: SharedState): void {
  const path = statePath(dataDir, state.root)
  const temporary = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(join(dataDir, FOLDER), { recursive: true, mode: 0o700 })
    writeFileSync(temporary, JSON.stringify(state), { mode: 0o600 })
    renameSync(temporary, path)
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw cannotWrite(path, cause, "make that folder writable, or name another one with AMAN_DATA_DIR")
  }
}

/** The folder of the project stays as it is. */
export function forgetSharedState(dataDir: string, root: string): void {
  rmSync(statePath(dataDir, root), { force: true })
}

const FOLDER = "shared-memory"

function statePath(dataDir: string, root: string): string {
  return join(dataDir, FOLDER, `${nameOf(root)}.json`)
}

/** Asked before each question: worked out once. */
function nameOf(root: string): string {
  const name = names.get(root) ?? sha256(root).slice(0, 32)
  names.set(root, name)
  return name
}

const names = new Map<string, string>()

/** Empty where there is none, as mostly: asked before each question, and an error costs more than a look. */
function textOf(path: string): string {
  try {
    return existsSync(path) ? readFileSync(path, "utf8") : ""
  } catch {
    return ""
  }
}
