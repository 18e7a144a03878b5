import { loadUnpacked } from "./unpack-native.ts"

/** Row numbers and their cosine distances, in ascending order of distance. */
type NearestRows = readonly [rows: BigUint64Array, distances: Float32Array]

/**
 * The part of usearch's HNSW graph that is used: only building, because graph-search.ts searches. Calls block the
 * thread.
 */
export type NativeGraph = {
  add(keys: BigUint64Array, rows: Int8Array, threads: number): void
  save(path: string): void
}

export type Native = {
  /**
   * The nearest `limit` rows. The function reads from the start of the array's buffer, whatever the offset of the array
   * is, and writes out of bounds if `limit` is greater than the number of rows.
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

/** Loads usearch for this machine; null if `nativeFailure` has a reason, or usearch is not built for the system. */
export function loadNative(): Native | null {
  if (native === undefined) native = load()
  return native
}

/**
 * Why usearch could not be loaded; null if it was, or if it is not built for this system: musl, win32-arm64 and others.
 */
export function nativeFailure(): Error | null {
  return failure
}

// scripts/compile.ts replaces this name by a literal when it builds the binary.
declare const AMAN_MUSL: boolean | undefined

let native: Native | null | undefined
let failure: Error | null = null

function load(): Native | null {
  try {
    const library = embedded()
    return typeof library === "string" ? (loadUnpacked(library) as Native) : library
  } catch (error) {
    // The system is too old for usearch, the program runs from source on musl, or no folder is writable. The exact
    // scan in TypeScript is used.
    failure = error as Error
    return null
  }
}

/**
 * The library itself, or in the binary, where scripts/compile.ts embeds it as a file, its path there; null if there is
 * none. The paths are relative, because the package's `exports` hide its native files. The conditions are constant, so
 * that the compiler keeps one branch and embeds only that file.
 */
function embedded(): Native | string | null {
  // usearch is built for glibc.
  if (typeof AMAN_MUSL === "boolean" && AMAN_MUSL) return null
  if (process.platform === "linux" && process.arch === "x64")
    return require("../../../node_modules/usearch/prebuilds/linux-x64/usearch.node")
  if (process.platform === "linux" && process.arch === "arm64")
    return require("../../../node_modules/usearch/prebuilds/linux-arm64/usearch.node")
  if (process.platform === "darwin")
    return require("../../../node_modules/usearch/prebuilds/darwin-arm64+x64/usearch.node")
  if (process.platform === "win32" && process.arch === "x64")
    return require("../../../node_modules/usearch/prebuilds/win32-x64/usearch.node")
  return null
}
