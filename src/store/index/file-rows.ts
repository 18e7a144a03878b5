/** One indexed version of a file. */
export type FileRow = {
  readonly id: number
  /** Relative to the root, with "/" as separator. */
  readonly path: string
  /** xxHash3-64 of the bytes, 16 hexadecimal digits. */
  readonly hash: string
  readonly size: number
  /** `Stats.mtimeMs`, including the fraction. */
  readonly mtimeMs: number
  readonly language: string
  readonly content: string
  readonly flags: number
  readonly lines: number
  readonly method: string
  readonly degraded: string | null
  readonly chunks: number
  readonly package: string | null
  readonly imports: readonly string[]
  /**
   * Hashes of the names that the file defines, without duplicates. Each hash is two 32-bit unsigned integers, high and
   * low, little-endian.
   */
  readonly names: Uint8Array
}

/** The columns of a file that ranking needs. */
export type FileFactsRow = Pick<FileRow, "id" | "size" | "language" | "content" | "flags"> & {
  /**
   * Centrality (see FileRank); null if the names that the file uses are unknown, or if the rank is not computed yet.
   */
  readonly rank: number | null
}

export type PlacedFile = Pick<FileRow, "id" | "path" | "language" | "flags" | "package"> & {
  /** The imports of the file as JSON. They are not parsed, because the imports of most files are never needed. */
  readonly imports: string | null
}

/** The columns of a file that the description of a whole project needs. */
export type FileAmount = Pick<FileRow, "id" | "path" | "size" | "content" | "language" | "flags">

/** The columns that a rescan compares. A tuple, because 50,000 objects would take twice the time. */
export type KnownFile = readonly [
  path: string,
  id: number,
  size: number,
  mtimeMs: number,
  hash: string,
  flags: number,
]

/** Number of files, in one language, whose uses are unknown or incomplete for the same reason. */
export type UnreadFiles = Pick<FileRow, "language" | "method"> & {
  /** Why the files could not be read; null for a language without a grammar. */
  readonly reason: string | null
  readonly files: number
  /** Path of the first of these files in path order. */
  readonly first: string
}

export type FileTotals = { readonly files: number; readonly chunks: number; readonly lines: number }
