import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from "node:fs"
import { basename, dirname, join, relative, sep } from "node:path"
import { isInside } from "../base/paths.ts"
import { Unfit } from "./edit/unfit.ts"

const MOST_BYTES = 64 * 1024 * 1024
const MARK = "\ufeff"

/** A file as it is; `text` null where there is none yet. */
export type TargetFile = {
  /** Where it really is, with every link followed. */
  readonly path: string
  /** Without byte-order mark. */
  readonly text: string | null
  readonly hasMark: boolean
  /** Folders that are not there yet, the outermost first. */
  readonly missingFolders: readonly string[]
}

/**
 * Where a path leads. A link of the user's own is followed wherever it goes, as dotfile managers have it; one in a
 * project only inside the project. Throws Unfit where it must not be written.
 */
export function realTarget(file: string, within: string | null): string {
  const path = lstatSync(file, { throwIfNoEntry: false }) === undefined ? inRealFolder(file) : real(file)
  if (within !== null) refuseOutside(within, path)
  return path
}

function refuseOutside(within: string, path: string): void {
  if (!isInside(within, path)) throw new Unfit(`it leads out of the project, to ${path}`)
  const isOfGit = relative(within, path).split(sep).includes(".git")
  if (isOfGit) throw new Unfit(`it leads into what git keeps for itself, to ${path}`)
}

/** `path` as `realTarget` gives it. */
export function readTarget(path: string): TargetFile {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) {
    return { path, text: null, hasMark: false, missingFolders: missing(dirname(path)) }
  }
  const text = readText(path)
  const hasMark = text.startsWith(MARK)
  return { path, text: hasMark ? text.slice(1) : text, hasMark, missingFolders: [] }
}

/** The bytes that a text is in its file. */
export function bytesOf(text: string, hasMark: boolean): Uint8Array {
  return new TextEncoder().encode(hasMark ? MARK + text : text)
}

function real(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    throw new Unfit("it is a link that leads nowhere")
  }
}

/** Of a file that is not there: the nearest folder that is, without links, and the rest of the way. */
function inRealFolder(file: string): string {
  const folder = dirname(file)
  if (folder === file) return file
  const there = lstatSync(folder, { throwIfNoEntry: false })
  const at = there === undefined ? inRealFolder(folder) : real(folder)
  return join(at, basename(file))
}

function missing(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return []
  return [...missing(dirname(folder)), folder]
}

/** Strictly UTF-8: what would not come out as it went in is not touched. Never waits for a pipe. */
function readText(path: string): string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw new Unfit("it is no plain file")
    if (found.size > MOST_BYTES) throw new Unfit(`it is too large for settings: ${found.size} bytes`)
    return decoded(readFileSync(file))
  } finally {
    closeSync(file)
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Unfit("it is not UTF-8 text")
  }
}
