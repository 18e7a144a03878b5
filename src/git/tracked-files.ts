import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseGitConfig, readSmallFile } from "./config-file.ts"
import { SortedPaths } from "./sorted-paths.ts"
import type { WorkTree } from "./work-tree.ts"

/** What git's index says is part of the repository; paths are relative to the top of the work tree. */
export type TrackedFiles = {
  readonly size: number
  has(path: string): boolean
  /** Whether anything in this folder, at any depth, is tracked. */
  hasInside(folder: string): boolean
  /** Names each file with the size in bytes and the time in ms it had when git last looked; 0 where git forgot. */
  each(visit: (path: string, size: number, mtimeMs: number, isLeftOut: boolean) => void): void
}

/**
 * Reads `.git/index`; null if there is none, or it has a form this does not know. A sparse one names whole folders,
 * whose files are then not in the work tree. A split one keeps most entries in a shared file: those that it says
 * are gone since count as tracked until git folds them.
 */
export function readTrackedFiles(workTree: WorkTree): TrackedFiles | null {
  const config = new Map(parseGitConfig(readSmallFile(join(workTree.commonDir, "config")) ?? ""))
  const hashBytes = config.get("extensions.objectformat")?.toLowerCase() === "sha256" ? 32 : 20
  const own = parseIndex(readIndex(join(workTree.gitDir, "index")), hashBytes)
  const shared = own?.shared
  const base = shared
    ? parseIndex(readIndex(join(workTree.gitDir, `sharedindex.${shared}`)), hashBytes)
    : null
  if (!own || (shared && !base)) return null
  const parts = base ? [own.paths, base.paths] : [own.paths]
  return {
    size: parts.reduce((sum, paths) => sum + paths.count, 0),
    has: (path) => parts.some((paths) => paths.compareAt(paths.firstFrom(path), path) === 0),
    hasInside: (folder) =>
      parts.some((paths) => paths.startsWithAt(paths.firstFrom(`${folder}/`), `${folder}/`)),
    each: (visit) => {
      for (const part of base ? [base, own] : [own]) eachEntry(part, visit)
    },
  }
}

/** Two million files have 200 MB of it. */
const LARGEST_BYTES = 256 * 1024 * 1024
/** Version 4 keeps of a path what differs from the one before: a small index could name terabytes of them. */
const MOST_EXPANSION = 64

/** Null also for what only stands in its place, such as a pipe, which would keep a reader waiting. */
function readIndex(path: string): Buffer | null {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch {
    return null
  }
  try {
    const found = fstatSync(file)
    return found.isFile() && found.size <= LARGEST_BYTES ? readFileSync(file) : null
  } catch {
    return null
  } finally {
    closeSync(file)
  }
}

/** ctime, mtime, dev, ino, mode, uid, gid, size: ten 32-bit numbers; then the object's hash and 16 bits of flags. */
const STAT_BYTES = 40
const MTIME_AT = 8
const SIZE_AT = 36
const EXTENDED = 0x4000
/** Of the extended flags: "skip-worktree", what a sparse checkout leaves out of the work tree. */
const LEFT_OUT = 0x4000

type ParsedIndex = {
  readonly paths: SortedPaths
  /** Size and time of each. */
  readonly stats: Float64Array
  /** 1 for each that a sparse checkout leaves out. */
  readonly leftOut: Uint8Array
  readonly shared: string | null
}

/** https://git-scm.com/docs/index-format, versions 2 to 4. */
function parseIndex(bytes: Buffer | null, hashBytes: number): ParsedIndex | null {
  if (!bytes || bytes.length < 12 + hashBytes || bytes.toString("latin1", 0, 4) !== "DIRC") return null
  const version = bytes.readUInt32BE(4)
  const count = bytes.readUInt32BE(8)
  if (version < 2 || version > 4 || count * (STAT_BYTES + hashBytes) > bytes.length) return null
  const paths = new SortedPaths(count)
  const stats = new Float64Array(count * 2)
  const leftOut = new Uint8Array(count)
  let at = 12
  for (let i = 0; i < count && at > 0; i++) {
    stats[i * 2] = bytes.readUInt32BE(at + SIZE_AT)
    stats[i * 2 + 1] = bytes.readUInt32BE(at + MTIME_AT) * 1000 + bytes.readUInt32BE(at + MTIME_AT + 4) / 1e6
    const flagsAt = at + STAT_BYTES + hashBytes
    at = addEntry(paths, bytes, at, version, hashBytes)
    // Version 2 has no extended flags, and what would be there is the path.
    if (at > 0 && version > 2 && bytes.readUInt16BE(flagsAt) & EXTENDED)
      leftOut[i] = bytes.readUInt16BE(flagsAt + 2) & LEFT_OUT ? 1 : 0
  }
  return at > 0 ? { paths, stats, leftOut, shared: sharedIndex(bytes, at, hashBytes) } : null
}

function eachEntry(
  { paths, stats, leftOut }: ParsedIndex,
  visit: (path: string, size: number, mtimeMs: number, isLeftOut: boolean) => void,
): void {
  for (let i = 0; i < paths.count; i++)
    visit(paths.textAt(i), stats[i * 2]!, stats[i * 2 + 1]!, leftOut[i] === 1)
}

/** Adds the path of the entry at `at` and returns where the next begins, or 0 for an entry it does not understand. */
function addEntry(paths: SortedPaths, bytes: Buffer, at: number, version: number, hashBytes: number): number {
  const flagsAt = at + STAT_BYTES + hashBytes
  if (flagsAt + 2 > bytes.length) return 0
  let path = flagsAt + 2
  if (version >= 3 && bytes.readUInt16BE(flagsAt) & EXTENDED) path += 2
  let keep = 0
  if (version === 4) [keep, path] = keptBytes(bytes, path, paths.lastLength)
  const end = bytes.indexOf(0, path)
  if (end < 0 || keep < 0 || paths.length + keep > MOST_EXPANSION * bytes.length) return 0
  paths.add(keep, bytes, path, end)
  // Up to version 3 entries are padded with 1 to 8 zero bytes to a multiple of eight.
  return version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
}

/** Version 4: how many bytes of the previous path stay, said by how many go, and where the new part begins. */
function keptBytes(bytes: Buffer, from: number, previousLength: number): [keep: number, at: number] {
  let at = from
  let byte = bytes[at++] ?? 0
  let value = byte & 127
  while (byte & 128) {
    byte = bytes[at++] ?? 0
    value = (value + 1) * 128 + (byte & 127)
  }
  return [previousLength - value, at]
}

/** A split index names the file that has its other entries, by hash, in a "link" extension. */
function sharedIndex(bytes: Buffer, from: number, hashBytes: number): string | null {
  for (let at = from; at + 8 <= bytes.length - hashBytes; at += 8 + bytes.readUInt32BE(at + 4)) {
    if (bytes.toString("latin1", at, at + 4) === "link")
      return bytes.toString("hex", at + 8, at + 8 + hashBytes)
  }
  return null
}
