import { lstatSync, realpathSync, type Stats } from "node:fs"
import { isAbsolute, join } from "node:path"
import { fileIdsIn } from "../base/file-identity.ts"
import { isInside, toPosix } from "../base/paths.ts"
import { isSecretPath } from "../base/secrets.ts"
import { isGitFolderName, seenAs } from "./git-folder.ts"

export type InnerPath = {
  /** As the project spells it, links resolved; "" for the root. */
  readonly path: string
  readonly stat: Stats
}

/** Nothing is there; it leads out of the root; it is ours, git's, or may hold secrets. */
export type PathRefusal = "missing" | "outside" | "private"

/**
 * Where a path that somebody named leads to, links followed, if that lies in the root and may be shown.
 * `ownFolders`, absolute, hold databases of ours: what lies in them is not for reading, by whatever name.
 */
export function innerPath(
  root: string,
  named: string,
  ownFolders: readonly string[],
): InnerPath | PathRefusal {
  if (isForeign(named)) return "outside"
  const full = join(root, named)
  if (!isInside(root, full)) return "outside"
  const real = realPath(full)
  if (real === null) return "missing"
  const realRoot = realpathSync(root)
  if (!isInside(realRoot, real)) return "outside"
  const path = toPosix(real.slice(realRoot.length).replace(/^[\\/]/u, ""))
  if (isOurs(real, realRoot, ownFolders) || isPrivate(path)) return "private"
  const stat = lstatSync(real, { throwIfNoEntry: false })
  if (stat === undefined || stat.isSymbolicLink()) return "outside"
  return isOwnFile(stat, ownFolders) ? "private" : { path, stat }
}

/** Whether an open file is the one that `path` names now, reached without any link: not one put in its place. */
export function isStillThere(root: string, path: string, opened: Stats): boolean {
  try {
    const full = join(realpathSync(root), path)
    const found = lstatSync(full)
    return realpathSync(full) === full && found.dev === opened.dev && found.ino === opened.ino
  } catch {
    return false
  }
}

/** Absolute anywhere, a drive, a share, a device of Windows, or nothing that a file system could mean. */
function isForeign(path: string): boolean {
  if (path.includes("\0") || isAbsolute(path) || /^[A-Za-z]:|^[\\/]{2}/u.test(path)) return true
  return (
    process.platform === "win32" && /:|(^|[\\/])(con|prn|aux|nul|com\d|lpt\d)\s*(\.|[\\/]|$)/iu.test(path)
  )
}

function isPrivate(path: string): boolean {
  const parts = path.split("/")
  return parts.some((part) => isGitFolderName(part) || seenAs(part) === ".aman") || isSecretPath(path)
}

/** A folder of ours that the project itself lies in is not meant: it says nothing about the project's files. */
function isOurs(real: string, realRoot: string, ownFolders: readonly string[]): boolean {
  return ownFolders
    .map((folder) => realPath(folder) ?? folder)
    .some((folder) => isInside(folder, real) && !isInside(folder, realRoot))
}

/** By another name, too: opening and closing a database would end this process's locks on it (POSIX). */
function isOwnFile(stat: Stats, ownFolders: readonly string[]): boolean {
  if (stat.nlink <= 1 || !stat.isFile()) return false
  return ownFolders.some((folder) => fileIdsIn(folder).has(`${stat.dev}:${stat.ino}`))
}

function realPath(path: string): string | null {
  try {
    return realpathSync.native(path)
  } catch {
    return null
  }
}
