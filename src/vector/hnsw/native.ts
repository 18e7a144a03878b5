/** Row numbers and cosine distances, ascending. */
type NearestRows = readonly [rows: BigUint64Array, distances: Float32Array]

/**
 * The part of usearch's HNSW graph that is used: building only, as graph-search.ts searches. Calls block the
 * thread.
 */
export type NativeGraph = {
  add(keys: BigUint64Array, rows: Int8Array, threads: number): void
  save(path: string): void
}

export type Native = {
  /**
   * The nearest `limit` rows. Reads from the start of the buffer whatever the array's offset, and writes out of
   * bounds when `limit` exceeds the number of rows.
   */
  exactSearch(
    rows: Int8Array,
    query: Int8Array,
    dimensions: number,
    limit: number,
    metric: "cos",
    threads: number,
  ): NearestRows
  CompiledIndex: new (
    dimensions: number,
    metric: "cos",
    scalar: "i8",
    connectivity: number,
    expansionAdd: number,
    expansionSearch: number,
    multi: boolean,
  ) => NativeGraph
}

/** usearch for this machine; null on systems without it: musl, win32-arm64, others. */
export function loadNative(): Native | null {
  if (native === undefined) native = load()
  return native
}

// Replaced by a literal when scripts/compile.ts builds the binary.
declare const AMAN_MUSL: boolean | undefined

let native: Native | null | undefined

/**
 * Uses relative paths, because the package's `exports` hide the addons, and constant conditions, so that the
 * compiler keeps one branch and embeds only that file.
 */
function load(): Native | null {
  try {
    // usearch is built for glibc; with musl the exact scan in TypeScript is used.
    if (typeof AMAN_MUSL === "boolean" && AMAN_MUSL) return null
    if (process.platform === "linux" && process.arch === "x64")
      return require("../../../node_modules/usearch/prebuilds/linux-x64/usearch.node")
    if (process.platform === "linux" && process.arch === "arm64")
      return require("../../../node_modules/usearch/prebuilds/linux-arm64/usearch.node")
    if (process.platform === "darwin")
      return require("../../../node_modules/usearch/prebuilds/darwin-arm64+x64/usearch.node")
    if (process.platform === "win32" && process.arch === "x64")
      return require("../../../node_modules/usearch/prebuilds/win32-x64/usearch.node")
  } catch {
    // The system is too old for usearch, or this runs from source on musl; the exact scan is used.
  }
  return null
}
