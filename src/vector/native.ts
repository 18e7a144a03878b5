/** Row numbers and cosine distances, ascending. */
type Found = readonly [rows: BigUint64Array, distances: Float32Array]

/** A usearch HNSW graph, as much of it as we use: it is searched without it. All calls block the thread. */
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
  ): Found
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

/** usearch for this machine, or null where there is none: musl, win32-arm64, other systems. */
export function loadNative(): Native | null {
  if (native === undefined) native = load()
  return native
}

// Replaced by a literal when scripts/compile.ts builds the binary.
declare const AMAN_MUSL: boolean | undefined

let native: Native | null | undefined

/**
 * Relative paths, because the package's `exports` hide the addons; constant conditions, so that the compiler
 * keeps one branch and embeds that file only.
 */
function load(): Native | null {
  try {
    // Built for glibc: the exact scan in TypeScript answers elsewhere.
    if (typeof AMAN_MUSL === "boolean" && AMAN_MUSL) return null
    if (process.platform === "linux" && process.arch === "x64")
      return require("../../node_modules/usearch/prebuilds/linux-x64/usearch.node")
    if (process.platform === "linux" && process.arch === "arm64")
      return require("../../node_modules/usearch/prebuilds/linux-arm64/usearch.node")
    if (process.platform === "darwin")
      return require("../../node_modules/usearch/prebuilds/darwin-arm64+x64/usearch.node")
    if (process.platform === "win32" && process.arch === "x64")
      return require("../../node_modules/usearch/prebuilds/win32-x64/usearch.node")
  } catch {
    // A system too old for it, or run from source on musl: the exact scan again.
  }
  return null
}
