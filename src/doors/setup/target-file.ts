import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from "node:fs"
import { basename, dirname, join, relative, sep } from "node:path"
import { isInside } from "../../base/index.ts"
import { NotEditable } from "./edit/text-style.ts"

const MAX_BYTES = 64 * 1024 * 1024
const MARK = "\ufeff"

/** A file's current state; `text` is null if it does not exist. */
export type TargetFile = {
  /** Path with all links resolved. */
  readonly path: string
  /** Text of the file without byte-order mark; null if the file does not exist. */
  readonly text: string | null
  readonly hasMark: boolean
  /** Missing folders, outermost first. */
  readonly missingFolders: readonly string[]
}

/**
 * Resolves a path. Links among the user's own files are followed anywhere, because managers of settings files use them;
 * links in a project are followed only inside the project. Throws NotEditable if the target must not be written.
 */
export function realTarget(file: string, within: string | null): string {
  const path = lstatSync(file, { throwIfNoEntry: false }) === undefined ? inRealFolder(file) : real(file)
  if (within !== null) refuseOutside(within, path)
  return path
}

function refuseOutside(within: string, path: string): void {
  if (!isInside(within, path)) throw new NotEditable(`it leads outside the project, to ${path}`)
  const isInGitFolder = relative(within, path).split(sep).includes(".git")
  if (isInGitFolder) throw new NotEditable(`it leads into git's own files, to ${path}`)
}

/** Reads a target; `path` comes from `realTarget`. */
export function readTarget(path: string): TargetFile {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) {
    return { path, text: null, hasMark: false, missingFolders: missingFolders(dirname(path)) }
  }
  const text = readText(path)
  const hasMark = text.startsWith(MARK)
  return { path, text: hasMark ? text.slice(1) : text, hasMark, missingFolders: [] }
}

/** Encodes a text as it is stored in the file. */
export function encodeText(text: string, hasMark: boolean): Uint8Array {
  return new TextEncoder().encode(hasMark ? MARK + text : text)
}

function real(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    throw new NotEditable("it is a broken link")
  }
}

/** Real path of a missing file: the nearest existing folder with links resolved, plus the rest. */
function inRealFolder(file: string): string {
  const folder = dirname(file)
  if (folder === file) return file
  const there = lstatSync(folder, { throwIfNoEntry: false })
  const at = there === undefined ? inRealFolder(folder) : real(folder)
  return join(at, basename(file))
}

function missingFolders(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return []
  return [...missingFolders(dirname(folder)), folder]
}

/** Reads strict UTF-8, because other bytes would not survive rewriting. Never waits for a pipe. */
function readText(path: string): string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw new NotEditable("it is not a regular file")
    if (found.size > MAX_BYTES)
      throw new NotEditable(`it is too large for a settings file: ${found.size} bytes`)
    return decoded(readFileSync(file))
  } finally {
    closeSync(file)
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new NotEditable("it is not UTF-8 text")
  }
}
