import {
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { threadId } from "node:worker_threads"

/**
 * Device and inode of the file, or of the link, at a path; "" if there is none. The file is not opened, so SQLite's
 * locks on it are not affected.
 */
export function fileIdentity(path: string): string {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? "" : `${stat.dev}:${stat.ino}`
}

/** True for a regular file that has only one name, so that it is neither a link nor a hard link of another file. */
export function isPlain(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true && stat.nlink === 1
}

const { O_RDONLY, O_RDWR, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/** Flags for opening a file without following a link and without blocking on a pipe. Windows has neither flag. */
export const PLAIN_FILE_FLAGS = O_NOFOLLOW | O_NONBLOCK

/**
 * Opens a file of an index and returns its descriptor. Throws EINVAL for anything but a regular file, and ELOOP for a
 * link. A pipe in place of the file must not block the process.
 */
export function openRegularFile(path: string, access: "read" | "write" = "read"): number {
  const file = openSync(path, (access === "read" ? O_RDONLY : O_RDWR) | PLAIN_FILE_FLAGS)
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw Object.assign(new Error(`EINVAL: not a regular file, open '${path}'`), {
    code: "EINVAL",
    syscall: "open",
  })
}

/** Device and inode of every entry directly in a folder, by which a file is recognized under any name. */
export function fileIdsIn(folder: string): Set<string> {
  const ids = new Set<string>()
  try {
    for (const name of readdirSync(folder)) {
      const stat = lstatSync(join(folder, name), { throwIfNoEntry: false })
      if (stat) ids.add(`${stat.dev}:${stat.ino}`)
    }
  } catch {
    // The folder does not exist, so there is nothing to protect.
  }
  return ids
}

/**
 * Writes all bytes at an offset; at the current position of the file if it is null. The call is repeated, because a
 * single write may write fewer bytes.
 */
export function writeAll(file: number, data: NodeJS.TypedArray, at: number | null = null): void {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  for (let done = 0; done < bytes.length; ) {
    const written = writeSync(file, bytes, done, bytes.length - done, at === null ? null : at + done)
    // Throws, because repeating the call might never end.
    if (written === 0)
      throw Object.assign(new Error("EIO: the disk takes no more bytes, write"), {
        code: "EIO",
        syscall: "write",
      })
    done += written
  }
}

/**
 * The SHA-256 hash as 64 hexadecimal digits. It uses Bun's hasher, because loading node:crypto takes several
 * milliseconds at every start.
 */
export function sha256(data: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(data).digest("hex")
}

/** The entries of a folder; an empty list if the folder cannot be read. */
export function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND } = constants

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

/** Replaces a file atomically: a reader sees either the old file or the new one. The new one is private by default. */
export function replaceFile(
  path: string,
  data: string | NodeJS.TypedArray,
  { isSynced = false, mode = PRIVATE } = {},
): void {
  const temporary = `${path}.${process.pid}-${threadId}.tmp`
  try {
    const file = createFile(temporary, mode)
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

/** Appends to a file, created as a private one by default. Throws if there is a link at the path, or a pipe that nobody reads. */
export function appendPrivate(path: string, text: string, mode = PRIVATE): void {
  // With O_NONBLOCK, opening a pipe that has no reader fails at once and does not block.
  const file = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, mode)
  try {
    writeAll(file, Buffer.from(text))
  } finally {
    closeSync(file)
  }
}

/**
 * Reads a whole stream that comes from outside, such as the body of a response or the output of a program. Null if it
 * has more than `maxBytes`; it is then cancelled. Throws what the stream throws, and the reason of `signal` once that is
 * aborted.
 */
export async function readBounded(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Buffer<ArrayBuffer> | null> {
  if (stream === null) return Buffer.alloc(0)
  const reader = stream.getReader()
  const cancel = () => reader.cancel().catch(() => {})
  signal?.addEventListener("abort", cancel, { once: true })
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal?.throwIfAborted()
      if (done || value === undefined) return Buffer.concat(parts)
      size += value.length
      if (size > maxBytes) {
        await cancel()
        return null
      }
      parts.push(value)
    }
  } finally {
    signal?.removeEventListener("abort", cancel)
  }
}
