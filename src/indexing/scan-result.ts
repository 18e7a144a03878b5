/** Why something was left out. A folder counts once, whatever it holds. */
export type SkipReason =
  | "ignored"
  /** By `.amanignore` or the configuration. */
  | "excluded"
  | "dependencies"
  | "build output"
  | "nested repository"
  | "submodule"
  | "lock file"
  | "minified"
  | "media"
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

export type SkipCounts = { readonly [Reason in SkipReason]?: number }
/** Counts in the making. */
export type Counts = { [Reason in SkipReason]?: number }

/** Size in bytes; the time in ms with its fraction, exact to a quarter of a microsecond. */
export type ScannedFile = {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  /** FILE_FLAG bits of what `.gitattributes` says of it; absent where it says nothing. */
  readonly said?: number
}

export type ScannedFolder = {
  /** "" for the root. */
  readonly path: string
  readonly mtimeMs: number
  /** The top of a repository, whose own rules hold from here on. */
  readonly isRepository: boolean
  /** Ignore or attribute files of its own. */
  readonly hasRules: boolean
  /** What was left out of this very folder. */
  readonly skipped: SkipCounts
}

/** A file outside the result whose appearance or change could change the result; `size` −1 while it is absent. */
export type WatchedFile = Omit<ScannedFile, "said">

/** Paths are relative to the root, with "/", in the order of their UTF-16 units. */
export type ScanResult = {
  readonly files: readonly ScannedFile[]
  readonly folders: readonly ScannedFolder[]
  readonly skipped: SkipCounts
  /** Left out for their size, which can change without their folder changing. */
  readonly tooLarge: readonly ScannedFile[]
  /** Ignore and attribute files and git's configuration, by absolute path. */
  readonly rules: readonly WatchedFile[]
  /** The options it was made with; others make another result. */
  readonly options: string
  /** Clock time just before the first folder was read. */
  readonly startedAtMs: number
}

export function addCounts(total: Counts, more: SkipCounts): void {
  for (const reason in more) count(total, reason as SkipReason, more[reason as SkipReason])
}

export function count(counts: Counts, reason: SkipReason, more = 1): void {
  counts[reason] = (counts[reason] ?? 0) + more
}
