import type { Config } from "../../config/load.ts"

/** Why something was skipped. A folder counts once, whatever it contains. */
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
  /** Comparing ignore patterns took too long to decide whether it is ignored. */
  | "too many patterns"
  /** `.gitattributes`, too large or with too many globs; files that it is about are indexed without it. */
  | "attribute file"

export type SkipCounts = { readonly [Reason in SkipReason]?: number }
/** Skip counts while they are being added up. */
export type SkipTally = { [Reason in SkipReason]?: number }

/** Size in bytes; time in ms with fraction, exact to a quarter of a microsecond. */
export type ScannedFile = {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  /** FILE_FLAG bits that `.gitattributes` sets for the file; absent where it sets none. */
  readonly attributeFlags?: number
}

export type ScannedFolder = {
  /** "" for the root. */
  readonly path: string
  readonly mtimeMs: number
  /** True for the top of a repository, whose own rules apply from here on. */
  readonly isRepository: boolean
  /** True when the folder contains ignore or attribute files. */
  readonly hasRules: boolean
  /** Counts of entries skipped directly in this folder. */
  readonly skipped: SkipCounts
}

/** A file whose appearance or change can change the result of a scan; `size` is −1 while it is absent. */
export type WatchedFile = Omit<ScannedFile, "attributeFlags">

/** Paths are relative to the root, with "/", sorted by UTF-16 code units. */
export type ScanResult = {
  readonly files: readonly ScannedFile[]
  readonly folders: readonly ScannedFolder[]
  readonly skipped: SkipCounts
  /** Files skipped for their size, which can change without their folder changing. */
  readonly tooLarge: readonly ScannedFile[]
  /** Ignore and attribute files and git's configuration, with absolute paths. */
  readonly rules: readonly WatchedFile[]
  /** Key of the options used; other options give another result. */
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

// Linux stamps files with the time of the last tick, up to 10 ms ago (CONFIG_HZ=100); doubled.
const TICK_MS = 20
// FAT has a resolution of two seconds, HFS+ and old NFS of one: their times have no fraction.
const COARSE_GRAIN_MS = 2000

/**
 * True if a file or folder with this time may have changed after it was checked without getting a new time: its time is
 * within the clock's resolution of the scan's start, or later.
 */
export function isRacy(mtimeMs: number, startedAtMs: number): boolean {
  // Fast path for nearly every file.
  if (mtimeMs <= startedAtMs - COARSE_GRAIN_MS) return false
  const grainMs = Math.round(mtimeMs * 1000) % 1_000_000 === 0 ? COARSE_GRAIN_MS : TICK_MS
  return mtimeMs > startedAtMs - grainMs
}

export type ScanOptions = {
  /** Larger files are skipped. */
  readonly maxFileBytes: number
  /** The index's own folder, absolute; its files are never read, by whatever name. */
  readonly indexDir: string
  /**
   * The walk ends after this many files, or four times as many folders; the deepest ones are missing then.
   */
  readonly maxFiles?: number
  /** Patterns as in an ignore file at the root; if there are any, only files that match are included. */
  readonly include?: readonly string[]
  /** Lines of an `.amanignore` at the root. */
  readonly exclude?: readonly string[]
  /** Whether submodules belong to the project. Default true. */
  readonly submodules?: boolean
  /**
   * Includes files that are otherwise excluded by name, such as lock files, minified code and media; only secrets stay
   * excluded.
   */
  readonly everyName?: boolean
}

/** The scan options that the configuration sets. */
export function scanOptionsOf({ index, paths, submodules }: Config): ScanOptions {
  const { maxFileBytes, maxFiles, dir: indexDir } = index
  const { include, exclude } = paths
  return { maxFileBytes, indexDir, maxFiles, include, exclude, submodules: submodules.enabled }
}

/** Key of those options that decide which files are found, for comparing scans. */
export function optionsKey({ maxFiles, include = [], exclude = [], submodules = true }: ScanOptions): string {
  return JSON.stringify([maxFiles ?? null, include, exclude, submodules])
}
