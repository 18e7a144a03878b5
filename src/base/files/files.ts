import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"

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
