/** One indexed version of a file. */
export type FileRow = {
  readonly id: number
  /** Relative to the root, "/" between its parts. */
  readonly path: string
  /** xxHash3-64 of the bytes, 16 hexadecimal digits. */
  readonly hash: string
  readonly size: number
  /** As `Stats.mtimeMs`, fraction included. */
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
  /** Hashes of the names it defines, each once: u32 high and low, little-endian. */
  readonly names: Uint8Array
}

/** What ranking wants to know of a file. */
export type FileFactsRow = Pick<FileRow, "id" | "language" | "content" | "flags"> & {
  /** Null where nothing tells what it uses, or that is not worked out yet. */
  readonly rank: number | null
}

export type PlacedFile = Pick<FileRow, "id" | "path" | "language" | "flags" | "package"> & {
  /** JSON of its imports: most are never asked for. */
  readonly imports: string | null
}

/** What describing a whole project asks of files. */
export type FileAmount = Pick<FileRow, "id" | "path" | "size" | "content" | "language" | "flags">

/** What a rescan compares: path, id, size, mtimeMs, hash, flags. A tuple: 50,000 objects cost twice the time. */
export type KnownFile = readonly [
  path: string,
  id: number,
  size: number,
  mtimeMs: number,
  hash: string,
  flags: number,
]

export type FileTotals = { readonly files: number; readonly chunks: number; readonly lines: number }
