import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs"
import { dirname } from "node:path"
import { threadId } from "node:worker_threads"
import { writeAll } from "./files.ts"

const { O_RDWR, O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

const PRIVATE = 0o600
const USUAL_MODE = 0o666

/**
 * Creates an empty file and returns its descriptor, for writing and reading. Whatever file is at this path, also a link, a
 * pipe or a hard link of another file, is removed and never written to; a folder is an error. In a folder that only the user may enter,
 * the file is private, too.
 */
export function createFile(path: string, mode: number = modeIn(dirname(path))): number {
  try {
    return openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
  } catch (error) {
    const isTaken = (error as { code?: unknown }).code === "EEXIST"
    if (!isTaken || lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
  rmSync(path, { force: true })
  return openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
}

/** The permissions of new files in a folder: private if the folder is. */
export function modeIn(folder: string): number {
  return ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0o077) & 0o077) === 0 ? PRIVATE : USUAL_MODE
}

/**
 * Writes a new file completely and syncs it, so that it can replace another file. The path must not exist. `like` is
 * the status of a file whose permissions the new file gets; absent: the usual permissions.
 */
export function writeNewFile(path: string, text: string, like?: Stats): void {
  const file = openSync(
    path,
    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
    USUAL_MODE & (like?.mode ?? USUAL_MODE),
  )
  try {
    if (like !== undefined) fchmodSync(file, like.mode & 0o777)
    writeAll(file, Buffer.from(text))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Replaces a private file atomically: a reader sees either the old file or the new one. */
export function replaceFile(path: string, data: string | NodeJS.TypedArray, { isSynced = false } = {}): void {
  const temporary = `${path}.${process.pid}-${threadId}.tmp`
  try {
    const file = createFile(temporary, PRIVATE)
    try {
      writeAll(file, typeof data === "string" ? Buffer.from(data) : data)
      if (isSynced) fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Appends to a private file. Throws if there is a link at the path, or a pipe that nobody reads. */
export function appendPrivate(path: string, text: string): void {
  // With O_NONBLOCK, opening a pipe that has no reader fails at once and does not block.
  const file = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, PRIVATE)
  try {
    writeAll(file, Buffer.from(text))
  } finally {
    closeSync(file)
  }
}
