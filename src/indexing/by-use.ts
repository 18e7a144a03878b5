import { pathFlags } from "../code/file-flags.ts"
import { contentKindOf, languageOf } from "../code/languages.ts"
import type { FoundFile } from "./plan.ts"

/** What git knows of the use of files. */
export type Use = {
  /** Paths that differ from what was committed. */
  readonly edited: ReadonlySet<string>
  /** Paths that the last commits touched, newest first. */
  readonly committed: readonly string[]
}

/** What a person works on: more than is open at once, and soon read. */
export const RECENT_FILES = 256
// A clone or an archive writes all files at about one time.
const AT_ONCE_MS = 60_000

/**
 * The order in which files are likely to be asked for: those edited since the last commit; those written long after
 * most, whatever the clock says now; those of the last commits; then source where source is kept; then tests,
 * examples, documents and the rest. The order within each of the last two stays.
 */
export function byUse<T extends FoundFile>(files: readonly T[], use: Use | null = null): T[] {
  if (files.length <= 1) return [...files]
  const placed = new Set(recentOf(files, use))
  const isAside = asideFolders()
  const rest: [source: T[], other: T[]] = [[], []]
  for (const file of files) {
    if (placed.has(file)) continue
    const isSource = contentKindOf(languageOf(file.path, "")) === "code" && !isAside(file.path)
    rest[isSource ? 0 : 1].push(file)
  }
  return [...placed, ...rest.flat()]
}

function recentOf<T extends FoundFile>(files: readonly T[], use: Use | null): T[] {
  const latest = [...files].sort((a, b) => b.mtimeMs - a.mtimeMs)
  const usual = latest[latest.length >> 1]!.mtimeMs
  const written = latest.slice(0, RECENT_FILES).filter((file) => file.mtimeMs > usual + AT_ONCE_MS)
  if (use === null) return written
  const byPath = new Map(files.map((file) => [file.path, file]))
  const committed = use.committed.flatMap((path) => byPath.get(path) ?? [])
  const edited = latest.filter(({ path }) => use.edited.has(path))
  // A copied work tree differs everywhere, which tells nothing.
  const telling = edited.length > RECENT_FILES ? [] : edited
  return [...telling, ...written, ...committed.slice(0, RECENT_FILES)]
}

/** Judges by folders, each once: 50,000 names would take a third of a second. */
function asideFolders(): (path: string) => boolean {
  const known = new Map<string, boolean>()
  return (path) => {
    const folder = path.slice(0, path.lastIndexOf("/") + 1)
    const isAside = known.get(folder) ?? pathFlags(folder) !== 0
    known.set(folder, isAside)
    return isAside
  }
}
