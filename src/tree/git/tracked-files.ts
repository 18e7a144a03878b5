import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { firstNot } from "../../base/index.ts"
import { parseGitConfig, readSmallFile } from "./config-file.ts"
import type { WorkTree } from "./work-tree.ts"

/** The files in git's index; paths are relative to the top of the work tree. */
export type TrackedFiles = {
  readonly size: number
  has(path: string): boolean
  /** True when anything in this folder, at any depth, is tracked. */
  hasInside(folder: string): boolean
  /** True when git tracks the path as a symbolic link. */
  isLink(path: string): boolean
  /**
   * Visits each file with its size in bytes and its time in ms, as recorded by git; both are 0 if git recorded none.
   * `isLeftOut`: a sparse checkout leaves the file out.
   */
  each(visit: (path: string, size: number, mtimeMs: number, isLeftOut: boolean) => void): void
}

/**
 * Reads `.git/index`; null if there is none or its format is not supported. In a sparse index, an entry may be a whole
 * folder, whose files are not in the work tree. In a split index, most entries are in a shared file; entries that it
 * marks as deleted still count as tracked until git merges the two files.
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
  // With core.precomposeUnicode, as on macOS, git composes the accents of names that are decomposed on disk.
  const isAmong = (path: string, test: (path: string, paths: SortedPaths) => boolean) =>
    [...new Set([path, path.normalize("NFC")])].some((each) => parts.some((paths) => test(each, paths)))
  return {
    size: parts.reduce((sum, paths) => sum + paths.count, 0),
    has: (path) => isAmong(path, (each, paths) => paths.compareAt(paths.firstFrom(each), each) === 0),
    hasInside: (folder) =>
      isAmong(`${folder}/`, (each, paths) => paths.startsWithAt(paths.firstFrom(each), each)),
    isLink: (path) => own.links.has(path) || (base?.links.has(path) ?? false),
    each: (visit) => {
      for (const part of base ? [base, own] : [own]) eachEntry(part, visit)
    },
  }
}

/** Maximum size of the index in bytes; the index of two million files has 200 MB. */
const MAX_BYTES = 256 * 1024 * 1024
/**
 * Maximum ratio of the total length of the paths to the size of the file. Version 4 stores only the difference between
 * a path and the previous one, so that a small index could expand to terabytes.
 */
const MAX_EXPANSION = 64

/**
 * The bytes of an index file. Null if it cannot be read, is too large, or is no regular file; reading a pipe, for
 * example, would block.
 */
function readIndex(path: string): Buffer | null {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch {
    return null
  }
  try {
    const stat = fstatSync(file)
    return stat.isFile() && stat.size <= MAX_BYTES ? readFileSync(file) : null
  } catch {
    return null
  } finally {
    closeSync(file)
  }
}

/**
 * Size of the stat data of an entry: ctime, mtime, dev, ino, mode, uid, gid, size, which are ten 32-bit numbers. After
 * them come the hash of the object and 16 bits of flags.
 */
const STAT_BYTES = 40
const MTIME_AT = 8
const MODE_AT = 24
const SIZE_AT = 36
/** Mode of a symbolic link. */
const LINK_MODE = 0o120000
const EXTENDED = 0x4000
/** Extended flag "skip-worktree": a sparse checkout leaves the file out of the work tree. */
const LEFT_OUT = 0x4000

type ParsedIndex = {
  readonly paths: SortedPaths
  /** Size and time of each entry, alternating. */
  readonly stats: Float64Array
  /** 1 for each entry that a sparse checkout leaves out. */
  readonly leftOut: Uint8Array
  /** Paths of the entries that are symbolic links. */
  readonly links: ReadonlySet<string>
  readonly shared: string | null
}

/** Parses an index of version 2 to 4: https://git-scm.com/docs/index-format */
function parseIndex(bytes: Buffer | null, hashBytes: number): ParsedIndex | null {
  if (!bytes || bytes.length < 12 + hashBytes || bytes.toString("latin1", 0, 4) !== "DIRC") return null
  const version = bytes.readUInt32BE(4)
  const count = bytes.readUInt32BE(8)
  if (version < 2 || version > 4 || count * (STAT_BYTES + hashBytes) > bytes.length) return null
  const paths = new SortedPaths(count)
  const stats = new Float64Array(count * 2)
  const leftOut = new Uint8Array(count)
  const links = new Set<string>()
  let next = 12
  for (let i = 0; i < count; i++) {
    const at = next
    next = addEntry(paths, bytes, at, version, hashBytes)
    if (next === 0) return null
    stats[i * 2] = bytes.readUInt32BE(at + SIZE_AT)
    stats[i * 2 + 1] = bytes.readUInt32BE(at + MTIME_AT) * 1000 + bytes.readUInt32BE(at + MTIME_AT + 4) / 1e6
    if (bytes.readUInt32BE(at + MODE_AT) === LINK_MODE) links.add(paths.textAt(i))
    const flagsAt = at + STAT_BYTES + hashBytes
    // Entries of version 2 have no extended flags; the path begins at their place.
    if (version > 2 && bytes.readUInt16BE(flagsAt) & EXTENDED)
      leftOut[i] = bytes.readUInt16BE(flagsAt + 2) & LEFT_OUT ? 1 : 0
  }
  return { paths, stats, leftOut, links, shared: sharedIndex(bytes, next, hashBytes) }
}

function eachEntry(
  { paths, stats, leftOut }: ParsedIndex,
  visit: (path: string, size: number, mtimeMs: number, isLeftOut: boolean) => void,
): void {
  for (let i = 0; i < paths.count; i++)
    visit(paths.textAt(i), stats[i * 2]!, stats[i * 2 + 1]!, leftOut[i] === 1)
}

/** Adds the path of the entry at `at`. Returns the position of the next entry; 0 if the entry is invalid. */
function addEntry(paths: SortedPaths, bytes: Buffer, at: number, version: number, hashBytes: number): number {
  const flagsAt = at + STAT_BYTES + hashBytes
  if (flagsAt + 2 > bytes.length) return 0
  let path = flagsAt + 2
  if (version >= 3 && bytes.readUInt16BE(flagsAt) & EXTENDED) path += 2
  let keep = 0
  if (version === 4) [keep, path] = keptBytes(bytes, path, paths.lastLength)
  const end = bytes.indexOf(0, path)
  if (end < 0 || keep < 0 || paths.length + keep > MAX_EXPANSION * bytes.length) return 0
  paths.add(keep, bytes, path, end)
  // Up to version 3, entries are padded with 1 to 8 zero bytes to a multiple of eight.
  return version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
}

/**
 * For an entry of version 4: how many bytes of the previous path are kept (the file stores the number of bytes to
 * drop), and the position of the new part.
 */
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

/**
 * The hash of the shared file that contains the other entries of a split index, from the extension "link"; null if
 * there is none.
 */
function sharedIndex(bytes: Buffer, from: number, hashBytes: number): string | null {
  for (let at = from; at + 8 <= bytes.length - hashBytes; at += 8 + bytes.readUInt32BE(at + 4)) {
    if (bytes.toString("latin1", at, at + 4) === "link")
      return bytes.toString("hex", at + 8, at + 8 + hashBytes)
  }
  return null
}

/**
 * Paths in git's order (by bytes), stored one after the other in one buffer, because creating 50,000 strings would take
 * longer than the search.
 */
class SortedPaths {
  readonly count: number
  private bytes = Buffer.allocUnsafe(64 * 1024)
  private readonly ends: Uint32Array
  private added = 0

  constructor(count: number) {
    this.count = count
    this.ends = new Uint32Array(count)
  }

  /** Length of all paths together, in bytes. */
  get length(): number {
    return this.startOf(this.added)
  }

  get lastLength(): number {
    return this.added === 0 ? 0 : this.ends[this.added - 1]! - this.startOf(this.added - 1)
  }

  /** Adds a path: the first `keep` bytes of the previous path, followed by a part of `source`. */
  add(keep: number, source: Buffer, from: number, to: number): void {
    const start = this.startOf(this.added)
    const end = start + keep + to - from
    if (end > this.bytes.length) {
      const larger = Buffer.allocUnsafe(end * 2)
      this.bytes.copy(larger, 0, 0, start)
      this.bytes = larger
    }
    if (keep > 0) {
      const previous = this.startOf(this.added - 1)
      this.bytes.copy(this.bytes, start, previous, previous + keep)
    }
    source.copy(this.bytes, start + keep, from, to)
    this.ends[this.added++] = end
  }

  /** Number of paths that sort before `path`. */
  firstFrom(path: string): number {
    return firstNot(0, this.count, (i) => this.compareAt(i, path) < 0)
  }

  compareAt(i: number, path: string): number {
    return i < this.count ? Buffer.compare(this.at(i), Buffer.from(path)) : 1
  }

  startsWithAt(i: number, prefix: string): boolean {
    const start = Buffer.from(prefix)
    return i < this.count && this.at(i).subarray(0, start.length).equals(start)
  }

  textAt(i: number): string {
    return this.at(i).toString("utf8")
  }

  private at(i: number): Buffer {
    return this.bytes.subarray(this.startOf(i), this.ends[i]!)
  }

  private startOf(i: number): number {
    return i === 0 ? 0 : this.ends[i - 1]!
  }
}
