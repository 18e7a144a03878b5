import { ptr } from "bun:ffi"
import {
  type BigIntStats,
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
} from "node:fs"
import { join } from "node:path"
import { openRegularFile } from "../../base/files/files.ts"
import { pathOfOpen } from "../../base/files/open-folder.ts"
import { fileError } from "../sqlite-error.ts"
import type { DerivedRow } from "./derived.ts"
import { openDropPages } from "./drop-pages.ts"

/** The columns of a `derived` row that describe the file itself. */
export type DerivedFile = Pick<DerivedRow, "name" | "size" | "hash" | "inode" | "times">
export type Stamp = Pick<DerivedRow, "inode" | "times">

const TEMPORARY = ".tmp"
/** Names of derived files; `sweepDerived` removes no other files. */
const DERIVED_NAME = /^(keyword|vectors)-[\w.-]+$/

export function isDerivedName(name: string): boolean {
  return DERIVED_NAME.test(name)
}

/**
 * Writes an immutable file under a name that no earlier generation had: writes a temporary file, syncs it and renames
 * it. The file becomes valid when its database row is committed. A crash before that leaves only a file that
 * `sweepDerived` removes.
 */
export async function publishDerived(
  folder: string,
  name: string,
  write: (path: string) => void | Promise<void>,
): Promise<DerivedFile> {
  const temporary = join(folder, name + TEMPORARY)
  const path = join(folder, name)
  try {
    await write(temporary)
    const file = { name, ...hashFile(temporary) }
    sync(temporary)
    renameSync(temporary, path)
    syncFolder(folder)
    return { ...file, ...stampFrom(lstatSync(path, { bigint: true })) }
  } catch (error) {
    rmSync(temporary, { force: true })
    throw fileError(error, path)
  }
}

/**
 * The stamp of a file whose content matches its database row; null if the file is missing, truncated or altered.
 *
 * A file that has the same inode, size and times (in nanoseconds) as when it was last verified is not hashed again,
 * because hashing hundreds of megabytes would delay the first answer of every process. This is safe: any write changes
 * the ctime, which programs cannot set, and copied or restored files have another inode.
 */
export function verifyDerived(folder: string, row: DerivedFile): Stamp | null {
  const stamp = stampOf(folder, row)
  if (stamp === null || isStampOf(row, stamp)) return stamp
  try {
    return hashFile(join(folder, row.name)).hash === row.hash ? stamp : null
  } catch {
    // The file was removed between the two calls, or is unreadable.
    return null
  }
}

/** True if the file still has the stamp that it had when it was last verified. */
export function isAsVerified(folder: string, row: DerivedFile): boolean {
  const stamp = stampOf(folder, row)
  return stamp !== null && isStampOf(row, stamp)
}

/**
 * The file's current stamp; null if it is missing, is no regular file, or has another size than its row says.
 */
export function stampOf(folder: string, { name, size }: DerivedFile): Stamp | null {
  try {
    const found = lstatSync(join(folder, name), { bigint: true })
    return found.isFile() && Number(found.size) === size ? stampFrom(found) : null
  } catch {
    return null
  }
}

function isStampOf({ inode, times }: DerivedFile, stamp: Stamp): boolean {
  return stamp.inode === inode && stamp.times === times
}

/**
 * The bytes of a file after verifying it, memory-mapped if the system allows it; null if the file is damaged and must
 * be made again.
 */
export function mapDerived(folder: string, row: DerivedFile): Uint8Array | null {
  if (verifyDerived(folder, row) === null) return null
  return mapFile(join(folder, row.name))
}

/**
 * Verifies a file. Returns its bytes if it has at most SMALL_BYTES, otherwise its path and size; null if it is damaged
 * and must be made again.
 */
export function mapSmallDerived(
  folder: string,
  row: DerivedFile,
): Uint8Array | { readonly path: string; readonly size: number } | null {
  if (row.size <= SMALL_BYTES) return mapDerived(folder, row)
  return verifyDerived(folder, row) === null ? null : { path: join(folder, row.name), size: row.size }
}

const SMALL_BYTES = 16 << 20

/**
 * Removes derived files that no row describes: those of older generations, and those left by a crash. Returns the
 * number of removed files.
 */
export function sweepDerived(folder: string, rows: readonly Pick<DerivedRow, "name">[]): number {
  const named = new Set(rows.map((row) => row.name))
  let removed = 0
  for (const name of readdirSync(folder)) {
    if (named.has(name) || !DERIVED_NAME.test(name)) continue
    try {
      rmSync(join(folder, name), { recursive: true })
      removed++
    } catch {
      // Windows cannot delete a file that a process has mapped; the next sweep tries again.
    }
  }
  return removed
}

/** A file's bytes, or the given part, memory-mapped if the system allows it; null if they cannot be read. */
export function mapFile(path: string, part?: FilePart): Uint8Array | null {
  try {
    return mapRegularFile(path, part)
  } catch {
    // Bun maps files for reading and writing. This fails for a file of another user, and always on Windows.
    return part === undefined ? readFileWhole(path) : readFilePart(path, part)
  }
}

/** The bytes of a regular file, or the given part, memory-mapped. Throws where the system does not allow it. */
export function mapRegularFile(path: string, part?: FilePart): Uint8Array {
  const file = openRegularFile(path)
  try {
    return Bun.mmap(pathOfOpen(file) ?? path, { shared: false, ...part })
  } finally {
    closeSync(file)
  }
}

/** Part of a file, in bytes. */
export type FilePart = { readonly offset: number; readonly size: number }

function readFileWhole(path: string): Uint8Array | null {
  try {
    const file = openRegularFile(path)
    try {
      return new Uint8Array(readFileSync(file))
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}

function readFilePart(path: string, { offset, size }: FilePart): Uint8Array | null {
  try {
    const bytes = new Uint8Array(size)
    const file = openRegularFile(path)
    try {
      return readSync(file, bytes, 0, size, offset) === size ? bytes : null
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}

function stampFrom({ ino, mtimeNs, ctimeNs }: BigIntStats): Stamp {
  return { inode: String(ino), times: `${mtimeNs} ${ctimeNs}` }
}

function sync(path: string): void {
  const file = openRegularFile(path, "write")
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Syncs a folder, so that a rename in it is durable. Does nothing on systems where a folder cannot be opened. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, "r")
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch {
    // Without the sync, a power failure may lose the file. Its row then describes a missing file, which is made again.
  }
}

const BLOCK_BYTES = 4 << 20

/**
 * Hashes a file: the xxHash3-64 of the hashes of its 4 MiB blocks, in order. This needs memory for one block only, and
 * maps no pages. (Using the previous hash as the seed for the next block would be too weak, because Bun uses only 32
 * bits of the seed.)
 */
export function hashFile(path: string): { size: number; hash: string } {
  const file = openRegularFile(path)
  try {
    const block = Buffer.allocUnsafe(BLOCK_BYTES)
    const hashes: bigint[] = []
    let size = 0
    for (;;) {
      const read = fillBlock(file, block)
      hashes.push(Bun.hash.xxHash3(block.subarray(0, read)))
      size += read
      if (read < block.length) break
    }
    return { size, hash: Bun.hash.xxHash3(BigUint64Array.from(hashes)).toString(16).padStart(16, "0") }
  } finally {
    closeSync(file)
  }
}

/**
 * Reads until the block is full or the file ends. A read may return fewer bytes than requested, which would shift the
 * block boundaries.
 */
function fillBlock(file: number, block: Buffer): number {
  let filled = 0
  while (filled < block.length) {
    const read = readSync(file, block, filled, block.length - filled, null)
    if (read === 0) break
    filled += read
  }
  return filled
}

/** A memory-mapped file that is read from start to end, at one position or at several that advance together. */
export type SequentialFile = {
  readonly bytes: Uint8Array
  /**
   * Removes the pages that were read so far from the process's resident memory. They stay in the page cache of the
   * system.
   */
  readonly releasePages: () => void
}

/** Verifies a file and opens it for sequential reading; null if it is damaged and must be made again. */
export function openSequentialDerived(folder: string, row: DerivedFile): SequentialFile | null {
  if (verifyDerived(folder, row) === null) return null
  const path = join(folder, row.name)
  return mapped(path) ?? readWithoutRelease(path)
}

function mapped(path: string): SequentialFile | null {
  try {
    const bytes = mapRegularFile(path)
    const drop = openDropPages()
    return { bytes, releasePages: () => drop?.(Number(ptr(bytes)), bytes.length) }
  } catch {
    // Mapping can fail for the same reasons as in mapFile.
    return null
  }
}

function readWithoutRelease(path: string): SequentialFile | null {
  const bytes = mapFile(path)
  return bytes === null ? null : { bytes, releasePages: () => {} }
}
