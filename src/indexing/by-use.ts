import { pathFlags } from "../code/file-flags.ts"
import { contentKindOf, languageOf } from "../code/languages.ts"
import type { FoundFile } from "./plan.ts"

// What a person works on: more than is open at once, and soon read.
const RECENT_FILES = 256
const RECENT = 0
const SOURCE = 1
const OTHER = 2

/**
 * The order in which files are likely to be asked for: those written last, whatever the clock says now; then source
 * where source is kept; then tests, examples, documents and the rest. The order within each stays.
 */
export function byUse<T extends FoundFile>(files: readonly T[]): T[] {
  if (files.length <= 1) return [...files]
  const recent = recentOf(files)
  const isAside = asideFolders()
  const place = ({ path }: T) =>
    contentKindOf(languageOf(path, "")) === "code" && !isAside(path) ? SOURCE : OTHER
  const places: T[][] = [[], [], []]
  for (const file of files) places[recent.has(file) ? RECENT : place(file)]!.push(file)
  places[RECENT]!.sort((a, b) => b.mtimeMs - a.mtimeMs)
  return places.flat()
}

function recentOf<T extends FoundFile>(files: readonly T[]): ReadonlySet<T> {
  return new Set([...files].sort((a, b) => b.mtimeMs - a.mtimeMs).slice(0, RECENT_FILES))
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
