import { existsSync, readdirSync, realpathSync } from "node:fs"
import { isAbsolute, join, relative } from "node:path"
import { isInside, toPosix } from "../../base/paths.ts"
import { lookAt, type NotRead, type Place } from "./place.ts"

/** The file that is meant, if it is there: as said, else in exactly one of the root's folders. */
export function resolveFile(place: Place, named: string): { path: string } | Unresolved {
  const path = withinRoot(place.root, named)
  if (path === null) return { path: null, refusal: "outside the project", also: [] }
  const found = lookAt(place, path)
  if (typeof found !== "string") return { path: found.path }
  if (found !== "missing") return { path: null, refusal: found, also: [] }
  // Written as on Windows.
  if (path.includes("\\")) return resolveFile(place, path.replaceAll("\\", "/"))
  const below = oneDown(place, path)
  return below.length === 1 ? { path: below[0]! } : { path: null, refusal: "missing", also: below }
}

export type Unresolved = {
  readonly path: null
  readonly refusal: NotRead
  /** Files that could be meant. */
  readonly also: readonly string[]
}

/** Relative to the root, however it was written; null where it leads out. */
function withinRoot(root: string, named: string): string | null {
  if (!isAbsolute(named))
    return isInside(root, join(root, named)) ? relativeTo(root, join(root, named)) : null
  const spelled = [named, realOr(named)].find((path) => isInside(root, path))
  return spelled === undefined ? null : relativeTo(root, spelled)
}

function relativeTo(root: string, full: string): string | null {
  return toPosix(relative(root, full)) || null
}

function realOr(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

/** Seed 002 looks one folder below, too: an agent that works in a part of the project says what it sees. */
function oneDown(place: Place, path: string): string[] {
  try {
    return readdirSync(place.root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map((entry) => `${entry.name}/${path}`)
      .filter((below) => existsSync(join(place.root, below)))
      .filter((below) => typeof lookAt(place, below) !== "string")
      .sort()
  } catch {
    return []
  }
}
