import { type Pointer, ptr } from "bun:ffi"
import { closeSync, openSync } from "node:fs"
import { openSystemLibrary } from "../../store/system-library.ts"
import { isRacy } from "../scan/scan-result.ts"
import type { PackedScan } from "../scan/scan-snapshot.ts"

/** Positions, in the lists of a scan, of files and folders that differ or may differ on disk. */
export type StatDifferences = { readonly files: readonly number[]; readonly folders: readonly number[] }

/** Checks every file and folder of a packed scan without unpacking it; null on systems without statx. */
export function statDifferences(root: string, scan: PackedScan): StatDifferences | null {
  using statx = openStatx(root, scan.names)
  return statx === null ? null : compareStats(statx, scan)
}

function compareStats(
  statx: Statx,
  { names, numbers, files, folders, unreadableFolders, startedAtMs }: PackedScan,
): StatDifferences {
  const differing = { files: [] as number[], folders: [...unreadableFolders] }
  let at = 0
  for (let i = 0; i < files; i++) {
    const mtimeMs = numbers[i * 2 + 1]!
    if (!statx.isFile(at, numbers[i * 2]!, mtimeMs) || isRacy(mtimeMs, startedAtMs)) differing.files.push(i)
    at = names.indexOf(0, at) + 1
  }
  for (let i = 0; i < folders; i++) {
    const mtimeMs = numbers[files * 2 + i]!
    if (!statx.isFolder(at, mtimeMs) || isRacy(mtimeMs, startedAtMs)) differing.folders.push(i)
    at = names.indexOf(0, at) + 1
  }
  return differing
}

/** Checks paths below a folder. A path is given by its byte offset in the names. */
type Statx = Disposable & {
  /**
   * True if the path is a regular file with exactly this size and time. The time is compared as `lstat` returns it.
   * Links are not followed.
   */
  isFile(nameAt: number, size: number, mtimeMs: number): boolean
  isFolder(nameAt: number, mtimeMs: number): boolean
}

/** Linux's statx takes two thirds of the time of `lstatSync`, and no path has to be converted to a string. */
const SYMBOLS = { statx: { args: ["i32", "ptr", "i32", "u32", "ptr"], returns: "i32" } } as const

// Constants from linux/stat.h and linux/fcntl.h. The layout is the same on every processor.
const AT_SYMLINK_NOFOLLOW = 0x100
const AT_EMPTY_PATH = 0x1000
const STATX_TYPE_MODE_MTIME_SIZE = 0x1 | 0x2 | 0x40 | 0x200
const STATX_BYTES = 256
const MODE_U16 = 28 / 2
const SIZE_U32 = 40 / 4
const SECONDS_U32 = 112 / 4
const NANOSECONDS_U32 = 120 / 4
const S_IFMT = 0o170000
const S_IFREG = 0o100000
const S_IFDIR = 0o040000
const HIGH = 2 ** 32

/**
 * Opens statx for paths below `root`; null on systems other than Linux. `names` contains the paths, separated by zero
 * bytes, and must exist as long as the result is used.
 */
function openStatx(root: string, names: Uint8Array): Statx | null {
  if (call === undefined) call = openCall()
  const statx = call
  if (statx === null) return null
  const folder = openFolder(root)
  if (folder === null) return null
  // The buffer receives the result of a call. After it comes a copy of the last name, which has no zero byte at its end
  // in `names`.
  const lastAt = names.lastIndexOf(0) + 1
  const buffer = new Uint8Array(STATX_BYTES + names.length - lastAt + 1)
  buffer.set(names.subarray(lastAt), STATX_BYTES)
  const [u16, u32, i32] = [
    new Uint16Array(buffer.buffer, 0, STATX_BYTES / 2),
    new Uint32Array(buffer.buffer, 0, STATX_BYTES / 4),
    new Int32Array(buffer.buffer, 0, STATX_BYTES / 4),
  ]
  const to = ptr(buffer)
  const last = (to + STATX_BYTES) as Pointer
  const from = lastAt === 0 ? last : ptr(names)
  const flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH
  const isStill = (nameAt: number, kind: number, mtimeMs: number) =>
    statx(
      folder,
      nameAt === lastAt ? last : ((from + nameAt) as Pointer),
      flags,
      STATX_TYPE_MODE_MTIME_SIZE,
      to,
    ) === 0 &&
    (u16[MODE_U16]! & S_IFMT) === kind &&
    (u32[SECONDS_U32]! + i32[SECONDS_U32 + 1]! * HIGH) * 1000 + u32[NANOSECONDS_U32]! / 1e6 === mtimeMs
  return {
    isFile: (nameAt, size, mtimeMs) =>
      isStill(nameAt, S_IFREG, mtimeMs) && u32[SIZE_U32]! + u32[SIZE_U32 + 1]! * HIGH === size,
    isFolder: (nameAt, mtimeMs) => isStill(nameAt, S_IFDIR, mtimeMs),
    [Symbol.dispose]: () => closeSync(folder),
  }
}

let call: ReturnType<typeof openCall> | undefined

function openCall() {
  return process.platform === "linux" ? (openSystemLibrary(SYMBOLS)?.statx ?? null) : null
}

function openFolder(path: string): number | null {
  try {
    return openSync(path, "r")
  } catch {
    return null
  }
}
