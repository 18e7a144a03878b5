import {
  type BigIntStats,
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs"
import { join } from "node:path"
import type { DerivedRow } from "./derived.ts"
import { hashFile } from "./hash-file.ts"
import { fullDisk } from "./sqlite-error.ts"

/** What a row of `derived` says about the file itself. */
export type DerivedFile = Pick<DerivedRow, "name" | "size" | "hash" | "inode" | "times">
export type Stamp = Pick<DerivedRow, "inode" | "times">

const TEMPORARY = ".tmp"
/** Only names of this shape are ours to remove. */
const DERIVED_NAME = /^(keyword|vectors)-[\w.-]+$/

export function isDerivedName(name: string): boolean {
  return DERIVED_NAME.test(name)
}

/**
 * Writes an immutable file under a name no earlier generation had: beside it, synced, renamed. It counts only
 * once its row is committed, so a crash at any point leaves at worst a file that `sweepDerived` removes.
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
    return { ...file, ...stampFrom(statSync(path, { bigint: true })) }
  } catch (error) {
    rmSync(temporary, { force: true })
    throw fullDisk(error, path)
  }
}

/**
 * The stamp of a file that is what its row says, or null where it is missing, cut or altered.
 *
 * A file with the inode, size and nanosecond times it had when it was last verified is not hashed again: hashing
 * hundreds of megabytes would cost every process its first answer. Any write moves its ctime, which nobody can set
 * back; copied or restored files have another inode.
 */
export function verifyDerived(folder: string, row: DerivedFile): Stamp | null {
  const stamp = stampOf(folder, row)
  if (stamp === null || isStampOf(row, stamp)) return stamp
  try {
    return hashFile(join(folder, row.name)).hash === row.hash ? stamp : null
  } catch {
    // Gone between two calls, or unreadable: either way there is nothing to use.
    return null
  }
}

/** True where a file has the stamp with which it was last verified. */
export function isAsVerified(folder: string, row: DerivedFile): boolean {
  const stamp = stampOf(folder, row)
  return stamp !== null && isStampOf(row, stamp)
}

/** How a file looks now; null where it is missing, or its size alone tells that it was cut. */
export function stampOf(folder: string, { name, size }: DerivedFile): Stamp | null {
  try {
    const found = statSync(join(folder, name), { bigint: true })
    return found.isFile() && Number(found.size) === size ? stampFrom(found) : null
  } catch {
    return null
  }
}

function isStampOf({ inode, times }: DerivedFile, stamp: Stamp): boolean {
  return stamp.inode === inode && stamp.times === times
}

/** The bytes of a verified file, mapped where the system lets us; null where it must be rebuilt. */
export function mapDerived(folder: string, row: DerivedFile): Uint8Array | null {
  if (verifyDerived(folder, row) === null) return null
  return mapFile(join(folder, row.name))
}

/** Of a verified file its bytes, where they are few, or its place; null where it must be rebuilt. */
export function mapSmallDerived(
  folder: string,
  row: DerivedFile,
): Uint8Array | { readonly path: string; readonly size: number } | null {
  if (row.size <= SMALL_BYTES) return mapDerived(folder, row)
  return verifyDerived(folder, row) === null ? null : { path: join(folder, row.name), size: row.size }
}

const SMALL_BYTES = 16 << 20

/** Removes derived files that no row names: older generations, and what a crash left. Answers how many. */
export function sweepDerived(folder: string, rows: readonly Pick<DerivedRow, "name">[]): number {
  const named = new Set(rows.map((row) => row.name))
  let removed = 0
  for (const name of readdirSync(folder)) {
    if (named.has(name) || !DERIVED_NAME.test(name)) continue
    try {
      rmSync(join(folder, name))
      removed++
    } catch {
      // Windows keeps a file that a process has mapped; the next sweep takes it.
    }
  }
  return removed
}

/** A file's bytes, or some of them, mapped where the system lets us; null where they cannot be read. */
export function mapFile(path: string, part?: FilePart): Uint8Array | null {
  try {
    return Bun.mmap(path, { shared: false, ...part })
  } catch {
    // Bun maps read-write: refused for another user's file, and on Windows altogether.
    return part === undefined ? readWhole(path) : readPart(path, part)
  }
}

/** In bytes. */
export type FilePart = { readonly offset: number; readonly size: number }

function readWhole(path: string): Uint8Array | null {
  try {
    return new Uint8Array(readFileSync(path))
  } catch {
    return null
  }
}

function readPart(path: string, { offset, size }: FilePart): Uint8Array | null {
  try {
    const bytes = new Uint8Array(size)
    const file = openSync(path, "r")
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
  const file = openSync(path, "r+")
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Makes the rename itself durable; not every system can open a folder. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, "r")
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch {
    // Without it a power failure may lose the file; its row then names nothing and it is rebuilt.
  }
}
