import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { cannotWrite, OpenFolder, replaceFile, temporaryDataDir, userDataDir } from "../../base/index.ts"

/** Row numbers and their cosine distances, in ascending order of distance. */
type NearestRows = readonly [rows: BigUint64Array, distances: Float32Array]

/**
 * The part of usearch's HNSW graph that is used: only building, because graphs.ts searches. Calls block the
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

/**
 * Loads a native library that is embedded in the binary. The system loads libraries from files only, so it is unpacked
 * into a folder that only this user may write, and never loaded from elsewhere: the runtime itself would unpack it into
 * the shared temporary folder, under a name that anybody can know. A file that is there already must equal the embedded
 * one. Throws if the system refuses the library, or IO if no folder can be used.
 */
function loadUnpacked(embedded: string): unknown {
  const bytes = readFileSync(embedded)
  const folders = [userDataDir(), temporaryDataDir()].map((folder) => join(folder, "native"))
  let reason: unknown
  for (const folder of folders) {
    try {
      return loadFrom(folder, basename(embedded), bytes)
    } catch (error) {
      reason ??= error
    }
  }
  if ((reason as { code?: unknown }).code === "ERR_DLOPEN_FAILED") throw reason
  throw cannotWrite(folders[0]!, reason, "set AMAN_DATA_DIR to a folder of your own")
}

function loadFrom(path: string, name: string, bytes: Buffer): unknown {
  using folder = OpenFolder.open(path, { make: 0o700 })
  requirePrivate(folder)
  const file = join(folder.at, name)
  if (!hasContent(file, bytes)) {
    replaceFile(file, bytes)
    removeOthers(folder.at, name)
  }
  const module: { exports: unknown } = { exports: {} }
  process.dlopen(module, file)
  return module.exports
}

/** Throws if another user may write into the folder, owns it, or owns the one around it. */
function requirePrivate({ at, path }: OpenFolder): void {
  const self = process.getuid?.()
  if (self === undefined) return
  const { uid, mode } = statSync(at)
  const around = statSync(dirname(path)).uid
  if (uid !== self || (around !== self && around !== 0)) throw new Error("it belongs to another user")
  if ((mode & OTHERS_WRITE) !== 0) throw new Error("other users may write into it")
}

const OTHERS_WRITE = 0o022
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/** True if there is a plain file with this content, which is this user's own. */
function hasContent(path: string, bytes: Buffer): boolean {
  let file: number
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch {
    return false
  }
  try {
    const stat = fstatSync(file)
    const isOwn =
      process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & OTHERS_WRITE) === 0)
    return stat.isFile() && isOwn && stat.size === bytes.length && readFileSync(file).equals(bytes)
  } finally {
    closeSync(file)
  }
}

/** Removes the libraries of other versions. A process that has loaded one keeps it; Windows then refuses. */
function removeOthers(folder: string, name: string): void {
  for (const other of readdirSync(folder)) {
    try {
      if (other !== name && other.endsWith(".node")) rmSync(join(folder, other), { force: true })
    } catch {
      // In use.
    }
  }
}
