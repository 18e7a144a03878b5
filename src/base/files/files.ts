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
 * Device and inode of a file, or of the link at its path; "" if there is none. A stat opens nothing, so it
 * leaves SQLite's locks alone.
 */
export function fileIdentity(path: string): string {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? "" : `${stat.dev}:${stat.ino}`
}

/** True for a regular file with a single name: neither a link nor a hard link to another file. */
export function isPlain(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && found.nlink === 1
}

const { O_RDONLY, O_RDWR, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/**
 * Opens a file of an index and returns its descriptor. Throws EINVAL for anything but a regular file, and
 * ELOOP for a link: a pipe that was put in the file's place must not block the process.
 */
export function openRegularFile(path: string, access: "read" | "write" = "read"): number {
  const file = openSync(path, (access === "read" ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK)
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw Object.assign(new Error(`EINVAL: not a regular file, open '${path}'`), {
    code: "EINVAL",
    syscall: "open",
  })
}

/** Device and inode of every entry directly in a folder, so that a file is recognised by any name. */
export function fileIdsIn(folder: string): Set<string> {
  const ids = new Set<string>()
  try {
    for (const name of readdirSync(folder)) {
      const found = lstatSync(join(folder, name), { throwIfNoEntry: false })
      if (found) ids.add(`${found.dev}:${found.ino}`)
    }
  } catch {
    // The folder does not exist, so it has nothing to protect.
  }
  return ids
}

/**
 * Writes all bytes at an offset, or at the file's position if it is null. Repeats the call, because a single
 * one may write fewer bytes.
 */
export function writeAll(file: number, data: NodeJS.TypedArray, at: number | null = null): void {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  for (let done = 0; done < bytes.length; ) {
    const written = writeSync(file, bytes, done, bytes.length - done, at === null ? null : at + done)
    // Throws, because trying again might never end.
    if (written === 0)
      throw Object.assign(new Error("EIO: the disk takes no more bytes, write"), {
        code: "EIO",
        syscall: "write",
      })
    done += written
  }
}

/**
 * 64 hexadecimal digits. Uses Bun's hasher, because loading node:crypto takes several milliseconds at every
 * start.
 */
export function sha256(data: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(data).digest("hex")
}

/** The entries of a folder; empty if it cannot be read. */
export function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
