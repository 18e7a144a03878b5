import { lstatSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"

/**
 * What tells a file from another later put in its place; "" where there is none. A stat opens nothing, so it leaves
 * SQLite's locks alone.
 */
export function fileIdentity(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? "" : `${stat.dev}:${stat.ino}`
}

/** A file of one name: no link, no second name of a file that lies elsewhere. */
export function isPlain(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && found.nlink === 1
}

/** Device and number of what lies directly in a folder: known by whatever other name it may have, too. */
export function fileIdsIn(folder: string): Set<string> {
  const ids = new Set<string>()
  try {
    for (const name of readdirSync(folder)) {
      const found = lstatSync(join(folder, name), { throwIfNoEntry: false })
      if (found) ids.add(`${found.dev}:${found.ino}`)
    }
  } catch {
    // Not there yet, so nothing of it to protect.
  }
  return ids
}
