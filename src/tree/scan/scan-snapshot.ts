import type { Config } from "../../base/index.ts"

/** Why a file or folder was skipped. A skipped folder counts once, whatever it contains. */
export type SkipReason =
  | "ignored"
  /** Excluded by `.amanignore` or by the configuration. */
  | "excluded"
  | "dependencies"
  | "build output"
  | "nested repository"
  | "submodule not checked out"
  | "lock file"
  | "minified"
  | "media"
  | "test snapshot"
  | "binary"
  | "secret"
  | "too large"
  | "link"
  | "index"
  | "not a file"
  | "unreadable"
  | "gone"
  | "invalid name"
  | "path too long"
  | "over the limit"
  /** Comparing ignore patterns took so long that the file or folder is skipped without a decision. */
  | "too many patterns"
  /**
   * A `.gitattributes` file that is too large or has too many globs. The files that it applies to are indexed without
   * it.
   */
  | "attribute file"

type SkipCounts = { readonly [Reason in SkipReason]?: number }
/** Number of skipped entries by reason, while they are being counted. */
export type SkipTally = { [Reason in SkipReason]?: number }

/** A file of the project. Size in bytes; time in ms with fraction, exact to a quarter of a microsecond. */
export type ScannedFile = {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  /** FILE_FLAG bits that `.gitattributes` sets for the file; absent if it sets none. */
  readonly attributeFlags?: number
}

export type ScannedFolder = {
  /** Path of the folder relative to the root; "" for the root. */
  readonly path: string
  readonly mtimeMs: number
  /** True for the top of a repository, whose rules apply from this folder on. */
  readonly isRepository: boolean
  /** True when the folder contains ignore or attribute files. */
  readonly hasRules: boolean
  /** Number of entries skipped directly in this folder, by reason. */
  readonly skipped: SkipCounts
}

/** A file that affects the result of a scan when it appears or changes; `size` is −1 while it does not exist. */
export type WatchedFile = Omit<ScannedFile, "attributeFlags">

/** The result of a scan. Paths are relative to the root, with "/" as separator, and sorted by UTF-16 code units. */
export type ScanResult = {
  readonly files: readonly ScannedFile[]
  readonly folders: readonly ScannedFolder[]
  readonly skipped: SkipCounts
  /** Files skipped because of their size, which can change without a change of their folder's time. */
  readonly tooLarge: readonly ScannedFile[]
  /** Ignore files, attribute files and git's configuration, with absolute paths. */
  readonly rules: readonly WatchedFile[]
  /** Key of the scan options (see `optionsKey`); with other options, the result would differ. */
  readonly options: string
  /** Clock time just before the first folder was read. */
  readonly startedAtMs: number
}

export function addCounts(total: SkipTally, more: SkipCounts): void {
  for (const reason in more) count(total, reason as SkipReason, more[reason as SkipReason])
}

export function count(counts: SkipTally, reason: SkipReason, more = 1): void {
  counts[reason] = (counts[reason] ?? 0) + more
}

// Linux sets the time of a file to that of the last clock tick, up to 10 ms ago (CONFIG_HZ=100); doubled as a margin.
const TICK_MS = 20
// FAT has a time resolution of two seconds, HFS+ and old NFS of one second. Their times have no fraction.
const COARSE_GRAIN_MS = 2000

/**
 * True if a file or folder with this time may have changed after it was scanned without getting a new time, because its
 * time is later than the start of the scan or within the clock's resolution before it.
 */
export function isRacy(mtimeMs: number, startedAtMs: number): boolean {
  // For nearly every file, this test alone decides.
  if (mtimeMs <= startedAtMs - COARSE_GRAIN_MS) return false
  const grainMs = Math.round(mtimeMs * 1000) % 1_000_000 === 0 ? COARSE_GRAIN_MS : TICK_MS
  return mtimeMs > startedAtMs - grainMs
}

export type ScanOptions = {
  /** Maximum size of a file; larger files are skipped. */
  readonly maxFileBytes: number
  /** Absolute path of the index folder. Its files are never read, even under another name. */
  readonly indexDir: string
  /**
   * The walk ends after this many files, or after four times as many folders. Files in the deepest folders are then
   * missing.
   */
  readonly maxFiles?: number
  /** Patterns as in an ignore file at the root. If there are any, only files that match one are included. */
  readonly include?: readonly string[]
  /** Lines that are added to the `.amanignore` at the root. */
  readonly exclude?: readonly string[]
  /**
   * True to include files that are usually excluded by name, such as lock files, minified code and media. Files with
   * secrets stay excluded.
   */
  readonly everyName?: boolean
  /** The only path that is looked at, with the folders above it, so that no limit is reached; absent: everything. */
  readonly target?: string
}

/** The scan options that the settings determine. */
export function scanOptionsOf({ index, paths }: Config): ScanOptions {
  const { maxFileBytes, maxFiles, dir: indexDir } = index
  const { include, exclude } = paths
  return { maxFileBytes, indexDir, maxFiles, include, exclude }
}

/** A key of the options that decide which files are found. Two scans can be compared only if their keys are equal. */
export function optionsKey({ maxFiles, include = [], exclude = [] }: ScanOptions): string {
  return JSON.stringify([maxFiles ?? null, include, exclude])
}

/**
 * Version of the format. Raise it also when the list of skipped names changes, so that older snapshots are no longer
 * used.
 */
const FORMAT = 6
/** Stands between paths: a character that no path can contain, on any system. */
const SEPARATOR = "\0"

type SnapshotHeader = Omit<ScanResult, "files" | "folders"> & {
  readonly format: number
  readonly files: number
  /** `.gitattributes` flags; `at` is the position of the file in the list of files. */
  readonly attributeFlags: readonly (readonly [at: number, flags: number])[]
  readonly folders: readonly (
    | readonly [isRepository: boolean, hasRules: boolean, skipped: ScannedFolder["skipped"]]
    | 0
  )[]
}

/**
 * Packs a scan into bytes, which are stored until the next scan. 30,000 files are restored from them in a few
 * milliseconds; reading them as table rows would take longer than checking all files on disk. First come sizes and
 * times, then everything else as text.
 */
export function packScan(scan: ScanResult): Uint8Array {
  const { files, folders, skipped, tooLarge, rules, options, startedAtMs } = scan
  const head: SnapshotHeader = {
    format: FORMAT,
    files: files.length,
    attributeFlags: files.flatMap(({ attributeFlags }, i) =>
      attributeFlags === undefined ? [] : [[i, attributeFlags] as const],
    ),
    folders: folders.map((folder) =>
      hasOnlyPath(folder) ? 0 : [folder.isRepository, folder.hasRules, folder.skipped],
    ),
    ...{ skipped, tooLarge, rules, options, startedAtMs },
  }
  const text = [
    JSON.stringify(head),
    ...files.map((file) => file.path),
    ...folders.map((folder) => folder.path),
  ].join(SEPARATOR)
  const numbers = new Float64Array(1 + files.length * 2 + folders.length)
  numbers[0] = numbers.length
  let at = 1
  for (const file of files) {
    numbers[at++] = file.size
    numbers[at++] = file.mtimeMs
  }
  for (const folder of folders) numbers[at++] = folder.mtimeMs
  return Buffer.concat([Buffer.from(numbers.buffer), Buffer.from(text)])
}

/** A packed scan of which only the header has been read. */
export type PackedScan = Pick<ScanResult, "skipped" | "tooLarge" | "rules" | "options" | "startedAtMs"> & {
  readonly bytes: Uint8Array
  readonly files: number
  readonly folders: number
  /** Positions of the folders that contain an unreadable entry. */
  readonly unreadableFolders: readonly number[]
  /** Size and time of each file, then the time of each folder. */
  readonly numbers: Float64Array
  /** The path of each file, then of each folder, separated by zero bytes. */
  readonly names: Uint8Array
  /** Restores the complete scan. */
  unpack(): ScanResult
}

/**
 * Reads the header of a packed scan. Null if the bytes are damaged or have another format; everything is then scanned
 * again.
 */
export function readPacked(bytes: Uint8Array): PackedScan | null {
  if (bytes.byteLength < 8) return null
  const count = new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true)
  if (!Number.isInteger(count) || count < 1 || count * 8 >= bytes.byteLength) return null
  const textAt = count * 8
  const headEnd = bytes.indexOf(0, textAt)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const head = readHead(text.toString("utf8", textAt, headEnd < 0 ? undefined : headEnd))
  if (head === null || count !== 1 + head.files * 2 + head.folders.length) return null
  const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset + 8, bytes.byteOffset + textAt))
  const names = bytes.subarray(headEnd < 0 ? bytes.byteLength : headEnd + 1)
  const { skipped, tooLarge, rules, options, startedAtMs } = head
  return {
    bytes,
    ...{ skipped, tooLarge, rules, options, startedAtMs, numbers, names },
    files: head.files,
    folders: head.folders.length,
    unreadableFolders: head.folders.flatMap((facts, i) =>
      facts !== 0 && (facts[2].unreadable ?? 0) > 0 ? [i] : [],
    ),
    unpack: () => unpack(head, numbers, names),
  }
}

function readHead(text: string): SnapshotHeader | null {
  try {
    const head = JSON.parse(text) as Partial<SnapshotHeader> | null
    const lists = [head?.attributeFlags, head?.folders, head?.tooLarge, head?.rules]
    return head?.format === FORMAT && lists.every(Array.isArray) ? (head as SnapshotHeader) : null
  } catch {
    return null
  }
}

export function unpackScan(bytes: Uint8Array): ScanResult | null {
  return readPacked(bytes)?.unpack() ?? null
}

function unpack(head: SnapshotHeader, numbers: Float64Array, names: Uint8Array): ScanResult {
  const paths = Buffer.from(names.buffer, names.byteOffset, names.byteLength)
    .toString("utf8")
    .split(SEPARATOR)
  const files: ScannedFile[] = []
  for (let i = 0; i < head.files; i++) {
    files.push({ path: paths[i]!, size: numbers[i * 2]!, mtimeMs: numbers[i * 2 + 1]! })
  }
  for (const [at, attributeFlags] of head.attributeFlags) files[at] = { ...files[at]!, attributeFlags }
  const folders = head.folders.map((facts, i): ScannedFolder => {
    const mtimeMs = numbers[head.files * 2 + i]!
    const [isRepository, hasRules, skipped] = facts === 0 ? ([false, false, {}] as const) : facts
    return { path: paths[head.files + i]!, mtimeMs, isRepository, hasRules, skipped }
  })
  const { skipped, tooLarge, rules, options, startedAtMs } = head
  return { files, folders, skipped, tooLarge, rules, options, startedAtMs }
}

function hasOnlyPath(folder: ScannedFolder): boolean {
  return !folder.isRepository && !folder.hasRules && Object.keys(folder.skipped).length === 0
}
