import type { Config } from "../../config/load.ts"

/** Why a file or folder was skipped. A skipped folder counts once, whatever it contains. */
export type SkipReason =
  | "ignored"
  /** Excluded by `.amanignore` or by the configuration. */
  | "excluded"
  | "dependencies"
  | "build output"
  | "nested repository"
  | "submodule"
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

export type SkipCounts = { readonly [Reason in SkipReason]?: number }
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
  /** True if submodules belong to the project, which is the default. */
  readonly submodules?: boolean
  /**
   * True to include files that are usually excluded by name, such as lock files, minified code and media. Files with
   * secrets stay excluded.
   */
  readonly everyName?: boolean
}

/** The scan options that the settings determine. */
export function scanOptionsOf({ index, paths, submodules }: Config): ScanOptions {
  const { maxFileBytes, maxFiles, dir: indexDir } = index
  const { include, exclude } = paths
  return { maxFileBytes, indexDir, maxFiles, include, exclude, submodules: submodules.enabled }
}

/** A key of the options that decide which files are found. Two scans can be compared only if their keys are equal. */
export function optionsKey({ maxFiles, include = [], exclude = [], submodules = true }: ScanOptions): string {
  return JSON.stringify([maxFiles ?? null, include, exclude, submodules])
}
