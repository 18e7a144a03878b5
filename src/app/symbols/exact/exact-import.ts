import { existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { posix, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { AmanError, messageOf } from "../../../base/errors.ts"
import { displayPath, isInside, toPosix } from "../../../base/paths.ts"
import { ensureIndexFolder } from "../../../index/index-folder.ts"
import { type ExactFile, type ExactSource, ExactStore } from "../../../store/index/exact-places.ts"
import type { Store } from "../../../store/index/store.ts"
import { exactPlaces } from "../../../symbols/exact/fit-document.ts"
import { readScip, type ScipDocument } from "../../../symbols/exact/read-scip.ts"
import { readSource } from "../../../text/files/read-source.ts"
import { snapshotFor } from "../../index/with-index-repair.ts"
import type { Project } from "../../project/open-project.ts"

const MAX_BYTES = 1 << 30
/** Maximum number of paths listed for each reason. */
const MAX_LISTED = 5

export type ImportAnswer = {
  /** Name and version of the indexer, as the index states them. */
  readonly tool: string
  /** Number of files whose places were imported. */
  readonly files: number
  /** Number of places in these files. */
  readonly places: number
  /** Files that were left out: their number by reason, and the first paths. */
  readonly left_out: readonly {
    readonly reason: SkipReason
    readonly files: number
    readonly paths: readonly string[]
  }[]
  /** Files and places of all imports together. */
  readonly total: { readonly files: number; readonly places: number }
  readonly notices: readonly string[]
}

/**
 * `outside`: the path leads out of the project; `not indexed`: aman has no such file; `changed`: the text is not the
 * one that the indexer read.
 */
type SkipReason = "outside" | "not indexed" | "changed"

/**
 * Imports a SCIP index: the places of symbols in each file whose text is the one that was indexed. Throws USAGE for a
 * file that is no SCIP index, IO, INDEX_MISSING.
 */
export async function importScip(
  project: Project,
  file: string,
  options: { readonly cwd: string; readonly signal?: AbortSignal },
): Promise<ImportAnswer> {
  const path = resolve(options.cwd, file)
  const source = { path, stamp: importStamp(path) }
  const bytes = readIndexFile(path)
  const { reader, failure } = await snapshotFor(project, { refresh: true, signal: options.signal })
  if (!reader) throw new AmanError("INDEX_MISSING", "there is no index yet", { hint: "run: aman index" })
  const imported = importBytes(project, reader.store, { source, bytes, signal: options.signal })
  return { ...imported, notices: failure === null ? [] : [failure] }
}

/**
 * Imports the indexes at the places that the setting symbols.indexes names, if they have changed since the last import.
 * Returns a notice for each that cannot be imported; a missing one is none.
 */
export function importConfigured(project: Project, store: Store, signal?: AbortSignal): string[] {
  return project.config.symbols.indexes.flatMap((place) => {
    try {
      const path = indexAt(project.root, place)
      const source = path === null ? null : { path, stamp: importStamp(path) }
      if (source !== null && store.exact()?.stampOf(source.path) !== source.stamp)
        importBytes(project, store, { source, bytes: readIndexFile(source.path), signal })
      return []
    } catch (error) {
      signal?.throwIfAborted()
      return [`${displayPath(place)} of symbols.indexes was not imported: ${messageOf(error)}`]
    }
  })
}

/** The real path of an index below the root; null if there is none. Throws USAGE for a path that leads out of it. */
function indexAt(root: string, place: string): string | null {
  const path = resolve(root, place)
  if (!existsSync(path)) return null
  const real = realpathSync(path)
  if (!isInside(realpathSync(root), real))
    throw new AmanError("USAGE", "it is outside of the project", {
      hint: "name a path below the project's root",
    })
  return real
}

/** Changes when the file is written or replaced; empty for no file. */
function importStamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? "" : `${stats.size} ${stats.mtimeMs} ${stats.ino}`
}

type Source = {
  readonly source: ExactSource
  readonly bytes: Uint8Array
  readonly signal: AbortSignal | undefined
}

function importBytes(
  project: Project,
  store: Store,
  { source, bytes, signal }: Source,
): Omit<ImportAnswer, "notices"> {
  const index = readScip(bytes)
  const prefix = folderIn(project.root, index.projectRoot)
  const refused = new Map<SkipReason, string[]>()
  const sum = { files: 0, places: 0 }
  function* files(): Generator<ExactFile> {
    for (const document of index.documents()) {
      signal?.throwIfAborted()
      const read = importedFile(document, { project, store, prefix })
      if ("refusal" in read) refused.set(read.refusal, [...(refused.get(read.refusal) ?? []), document.path])
      else {
        sum.files++
        sum.places += read.places.length
        yield { ...read, tool: index.tool }
      }
    }
  }
  using folder = ensureIndexFolder(project.indexPlace)
  const isKept = (path: string, hash: string) => store.files.byPath(path)?.hash === hash
  ExactStore.write(posix.join(folder.at, "exact.db"), store.id, { source, files: files(), isKept })
  return {
    tool: index.tool,
    ...sum,
    left_out: Array.from(refused, ([reason, paths]) => ({
      reason,
      files: paths.length,
      paths: paths.slice(0, MAX_LISTED).map(displayPath),
    })),
    total: store.exact()?.totals() ?? { files: 0, places: 0 },
  }
}

function readIndexFile(path: string): Uint8Array {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile())
    throw new AmanError("NOT_FOUND", `there is no file ${displayPath(path)}`, {
      hint: "write an index first, for example with scip-typescript index",
    })
  if (stats.size > MAX_BYTES)
    throw new AmanError("USAGE", `${displayPath(path)} is larger than ${MAX_BYTES >> 30} GiB`, {
      hint: "import an index of a part of the project",
    })
  return readFileSync(path)
}

/**
 * The project folder that the paths of the index are relative to: "" or a path with a slash at its end. An index with
 * a root outside the project was made on another machine; its paths then count as relative to the project's root.
 */
function folderIn(root: string, uri: string): string {
  try {
    const path = uri.startsWith("file:") ? fileURLToPath(uri) : uri
    if (!isInside(root, path)) return ""
    const folder = toPosix(relative(root, path))
    return folder === "" ? "" : `${folder}/`
  } catch {
    return ""
  }
}

function importedFile(
  document: ScipDocument,
  { project, store, prefix }: { readonly project: Project; readonly store: Store; readonly prefix: string },
): Omit<ExactFile, "tool"> | { readonly refusal: SkipReason } {
  const path = posix.normalize(prefix + document.path)
  const isOutside = /^(?:\.\.)?(?:\/|$)/.test(path) || /[\0\\]|^[a-z]:/i.test(document.path)
  if (isOutside || document.path.startsWith("/")) return { refusal: "outside" }
  const row = store.files.byPath(path)
  if (row === null) return { refusal: "not indexed" }
  const source = readSource(project.root, path, project.config.index.maxFileBytes)
  if ("reason" in source || source.hash !== row.hash) return { refusal: "changed" }
  const places = exactPlaces(document, source.text)
  return places === null ? { refusal: "changed" } : { path, hash: row.hash, places, bases: document.bases }
}
