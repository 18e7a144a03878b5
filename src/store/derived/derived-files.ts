import { type Pointer, ptr } from "bun:ffi"
import {
  type BigIntStats,
  closeSync,
  fstatSync,
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
import { openRegularFile, openSystemLibrary, pathOfOpen } from "../../base/index.ts"
import { fileError } from "../sqlite-error.ts"
import { Table } from "../table.ts"

export type DerivedKind = "keyword" | "vectors"

/**
 * The record of a valid derived file: its name, the size and hash that it must have, and its stamp when it was last
 * verified.
 */
export type DerivedRow = {
  readonly kind: DerivedKind
  /** Id of the vector space; 0 for the keyword index. */
  readonly spaceId: number
  /** Position of this file among the files of one keyword or vector index, from 0. */
  readonly part: number
  readonly generation: number
  /** File name in the index's folder. */
  readonly name: string
  readonly size: number
  /** xxHash3-64 of the file (derived-files.ts), 16 hexadecimal digits. */
  readonly hash: string
  readonly dimensions: number
  readonly count: number
  readonly inode: string
  /** Modification and change time in nanoseconds: "mtime ctime". */
  readonly times: string
}

const COLUMNS = `kind, space_id AS spaceId, part, generation, name, size, hash, dimensions, count, inode,
  mtime_ns AS times`

export class DerivedTable extends Table {
  /** The rows of one keyword or vector index in the order of parts; empty if it has no files yet. */
  of(kind: DerivedKind, spaceId = 0): DerivedRow[] {
    return this.rows<DerivedRow>(
      `SELECT ${COLUMNS} FROM derived WHERE kind = ? AND space_id = ? ORDER BY part`,
      kind,
      spaceId,
    )
  }

  all(): DerivedRow[] {
    return this.rows<DerivedRow>(`SELECT ${COLUMNS} FROM derived ORDER BY kind, space_id, part`)
  }

  /**
   * Replaces all rows of one keyword or vector index. Call it in the transaction that also removes the merged deltas.
   */
  replace(kind: DerivedKind, spaceId: number, rows: readonly DerivedRow[]): void {
    this.run("DELETE FROM derived WHERE kind = ? AND space_id = ?", kind, spaceId)
    const insert = this.db.query(
      `INSERT INTO derived (kind, space_id, part, generation, name, size, hash, dimensions, count, inode, mtime_ns)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    for (const r of rows) {
      insert.run(
        ...[kind, spaceId, r.part, r.generation, r.name, r.size, r.hash, r.dimensions, r.count],
        ...[r.inode, r.times],
      )
    }
  }

  /** Stores the inode and times of a file that was verified again. */
  stamp(row: DerivedRow, inode: string, times: string): void {
    this.run(
      "UPDATE derived SET inode = ?, mtime_ns = ? WHERE kind = ? AND space_id = ? AND part = ?",
      inode,
      times,
      row.kind,
      row.spaceId,
      row.part,
    )
  }
}

/** The columns of a `derived` row that describe the file itself. */
export type DerivedFile = Pick<DerivedRow, "name" | "size" | "hash" | "inode" | "times">
type Stamp = Pick<DerivedRow, "inode" | "times">

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
function stampOf(folder: string, { name, size }: DerivedFile): Stamp | null {
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
function mapRegularFile(path: string, part?: FilePart): Uint8Array {
  const file = openRegularFile(path)
  try {
    return Bun.mmap(pathOfOpen(file) ?? path, { shared: false, ...part })
  } finally {
    closeSync(file)
  }
}

/** Part of a file, in bytes. */
type FilePart = { readonly offset: number; readonly size: number }

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

type Watched = { readonly row: DerivedRow; readonly stamp: string; readonly isSound: boolean }

/**
 * Detects changes to derived files that this process has memory-mapped. Writes by other processes show in the mapping,
 * and reading beyond the end of a truncated file kills the process. So a reader calls `check` before each query, which
 * costs one stat per file.
 */
export class DerivedWatch {
  readonly #folder: string
  #files: readonly Watched[]

  /** Files that the `previous` watch has verified are not verified again. */
  constructor(folder: string, rows: readonly DerivedRow[], previous: DerivedWatch | null = null) {
    this.#folder = folder
    const verified = previous === null ? [] : previous.#files
    this.#files = rows.map((row) => {
      const earlier = verified.find((file) => file.row.name === row.name && file.row.hash === row.hash)
      return earlier === undefined ? { row, stamp: stampText(row), isSound: true } : { ...earlier, row }
    })
    this.check()
  }

  /** Checks all files. Returns true if a file has become invalid, or valid again, since the last check. */
  check(): boolean {
    const previous = this.#files
    this.#files = previous.map((file) => recheck(this.#folder, file))
    return this.#files.some((file, i) => file.isSound !== previous[i]!.isSound)
  }

  /**
   * True if every valid file has the stamp of the last check. It compares stamps and reads no content, so that it can
   * be called after each `await`, during which another process may have replaced a file.
   */
  isUntouched(): boolean {
    return this.#files.every(
      ({ row, stamp, isSound }) => !isSound || currentStamp(this.#folder, row) === stamp,
    )
  }

  /** True if every file matched its row at the last check. */
  get isSound(): boolean {
    return this.#files.every((file) => file.isSound)
  }

  /** True if this file matched its row at the last check. */
  isWhole({ name }: Pick<DerivedRow, "name">): boolean {
    return this.#files.some((file) => file.isSound && file.row.name === name)
  }
}

/** Hashes a file again when its stamp has changed. A file whose times changed but whose content did not stays valid. */
function recheck(folder: string, file: Watched): Watched {
  const stamp = currentStamp(folder, file.row)
  if (stamp === file.stamp) return file
  return { ...file, stamp, isSound: verifyDerived(folder, file.row) !== null }
}

function currentStamp(folder: string, row: DerivedRow): string {
  const stamp = stampOf(folder, row)
  return stamp === null ? "" : stampText(stamp)
}

function stampText({ inode, times }: Pick<DerivedRow, "inode" | "times">): string {
  return `${inode} ${times}`
}

const ADVICE = { madvise: { args: ["ptr", "usize", "i32"], returns: "i32" } } as const
// Constants from linux/mman.h
const MADV_DONTNEED = 4

type DropPages = (from: number, length: number) => void

/**
 * Returns a function that drops the resident pages of a memory mapping. Pages of a file that is not written are read
 * again at the next access. The content of any other memory is lost. Null where this is not possible; it is available
 * on Linux only.
 */
export function openDropPages(): DropPages | null {
  if (opened === undefined) opened = open()
  return opened
}

let opened: DropPages | null | undefined

function open(): DropPages | null {
  const madvise = process.platform === "linux" ? openSystemLibrary(ADVICE)?.madvise : undefined
  if (madvise === undefined) return null
  return (from, length) => {
    madvise(from as Pointer, length, MADV_DONTNEED)
  }
}

/** Memory that bytes are copied to. It must not be moved or freed before the file is closed. */
export type CopyTarget = { readonly bytes: Uint8Array; readonly address: number }

/** A file open for random reads, whose bytes are copied into the caller's memory. */
export type RandomAccessFile = Disposable & {
  readonly size: number
  /**
   * Copies bytes to offset `at` of the target. Bytes beyond the end of the file are zeros, and so are all bytes of a
   * closed file.
   */
  copy(from: number, length: number, target: CopyTarget, at: number): void
  /**
   * Treats the file as a sequence of pieces of `length` bytes. Copies the first `count` pieces listed in `numbers` to
   * the target, one after the other.
   */
  gather(numbers: Uint32Array, count: number, length: number, target: CopyTarget, at: number): void
}

const MAPPING = {
  mmap: { args: ["usize", "usize", "i32", "i32", "i32", "i64"], returns: "ptr" },
  munmap: { args: ["usize", "usize"], returns: "i32" },
  memcpy: { args: ["ptr", "ptr", "u32"], returns: "void" },
} as const

// Constants from sys/mman.h of Linux and macOS
const PROT_READ = 1
const MAP_SHARED = 1

export function copyTargetOf(bytes: Uint8Array): CopyTarget {
  try {
    // `buffer` must be accessed before the address is read, because the first access moves the bytes of a small array.
    return { bytes, address: Number(ptr(bytes.buffer, bytes.byteOffset)) }
  } catch {
    // This system does not support foreign function calls, so no file is mapped and the address is not used.
    return { bytes, address: 0 }
  }
}

/**
 * Opens a file for many small random reads. From mapped memory, 512 bytes take 30 to 80 ns; a read system call takes
 * 1.1 µs. The file is mapped by a direct system call, because the JavaScript engine would count the mapped bytes as its
 * own memory and collect garbage much later. On Windows the file is read instead of mapped. Throws the error of
 * `openSync`.
 */
export function openRandomAccessFile(path: string, isMapped = true): RandomAccessFile {
  const file = openRegularFile(path)
  const { size } = fstatSync(file)
  const mapped = isMapped ? mapOutsideEngine(file, size) : null
  if (mapped === null) return readWithCalls(file, size)
  closeSync(file)
  return mapped
}

type Calls = NonNullable<ReturnType<typeof openSystemLibrary<typeof MAPPING>>>

let calls: Calls | null | undefined

function mapOutsideEngine(file: number, size: number): RandomAccessFile | null {
  if (calls === undefined) calls = openSystemLibrary(MAPPING)
  if (calls === null || size === 0) return null
  const { mmap, munmap, memcpy } = calls
  let start = Number(mmap(0, size, PROT_READ, MAP_SHARED, file, 0) ?? 0)
  // MAP_FAILED is −1, which is about 2⁶⁴ as an unsigned number.
  if (start <= 0 || !Number.isSafeInteger(start)) return null
  const copy: RandomAccessFile["copy"] = (from, length, target, at) => {
    if (start === 0 || !fits(from, length, size) || !fits(at, length, target.bytes.length))
      target.bytes.fill(0, at, at + length)
    else memcpy((target.address + at) as Pointer, (start + from) as Pointer, length)
  }
  return {
    size,
    copy,
    gather: (numbers, count, length, target, at) => {
      const pieces =
        start === 0 || !fits(at, count * length, target.bytes.length) ? 0 : Math.floor(size / length)
      let to = target.address + at
      for (let i = 0; i < count; i++, to += length) {
        const number = numbers[i]!
        if (number < pieces) memcpy(to as Pointer, (start + number * length) as Pointer, length)
        else copy(size, length, target, at + i * length)
      }
    },
    [Symbol.dispose]: () => {
      if (start > 0) munmap(start, size)
      start = 0
    },
  }
}

function readWithCalls(file: number, size: number): RandomAccessFile {
  let isOpen = true
  const copy: RandomAccessFile["copy"] = (from, length, { bytes }, at) => {
    const isThere = isOpen && fits(from, length, size) && fits(at, length, bytes.length)
    let done = 0
    while (isThere && done < length) {
      const read = readSync(file, bytes, at + done, length - done, from + done)
      if (read === 0) break
      done += read
    }
    if (done < length) bytes.fill(0, at + done, at + length)
  }
  return {
    size,
    copy,
    gather: (numbers, count, length, target, at) => {
      for (let i = 0; i < count; i++) copy(numbers[i]! * length, length, target, at + i * length)
    },
    [Symbol.dispose]: () => {
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}

function fits(from: number, length: number, size: number): boolean {
  return from >= 0 && length >= 0 && from + length <= size
}
