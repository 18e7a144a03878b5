import { lstatSync, realpathSync, type Stats } from "node:fs"
import { isAbsolute, join } from "node:path"
import { fileIdsIn } from "../base/files/files.ts"
import { isInside, toPosix } from "../base/paths.ts"
import { isSecretPath } from "../base/secrets.ts"

export type InnerPath = {
  /** The path relative to the root, with links resolved, spelled as in the file system; "" for the root itself. */
  readonly path: string
  readonly stat: Stats
}

/**
 * Why a path is refused. "missing": it does not exist; "outside": it leads out of the root; "private": it is a file of
 * aman or git, or may contain secrets.
 */
export type PathRefusal = "missing" | "outside" | "private"

/**
 * Resolves a path that a user or an agent named, including links, and checks that it is inside the root and may be
 * shown. `ownFolders` are absolute paths of folders with aman's databases, whose files must not be read even by another
 * name.
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
  if (isInAmanFolder(real, realRoot, ownFolders) || isPrivate(path)) return "private"
  const stat = lstatSync(real, { throwIfNoEntry: false })
  if (stat === undefined || stat.isSymbolicLink()) return "outside"
  return isAmanFile(stat, ownFolders) ? "private" : { path, stat }
}

/**
 * True when `path` now names the open file directly, without a link, so that the file was not exchanged after the
 * check.
 */
export function isStillThere(root: string, path: string, opened: Stats): boolean {
  try {
    const full = join(realpathSync(root), path)
    const stat = lstatSync(full)
    return realpathSync(full) === full && stat.dev === opened.dev && stat.ino === opened.ino
  } catch {
    return false
  }
}

/**
 * True for a path that is absolute on any system, for a drive, a network share or a device on Windows, and for an
 * invalid path.
 */
function isForeign(path: string): boolean {
  if (path.includes("\0") || isAbsolute(path) || /^[A-Za-z]:|^[\\/]{2}/u.test(path)) return true
  return (
    process.platform === "win32" && /:|(^|[\\/])(con|prn|aux|nul|com\d|lpt\d)\s*(\.|[\\/]|$)/iu.test(path)
  )
}

function isPrivate(path: string): boolean {
  const parts = path.split("/")
  return parts.some((part) => isGitFolderName(part) || lenientName(part) === ".aman") || isSecretPath(path)
}

/** True when the path is in one of aman's own folders. A folder that contains the project itself does not count. */
function isInAmanFolder(real: string, realRoot: string, ownFolders: readonly string[]): boolean {
  return ownFolders
    .map((folder) => realPath(folder) ?? folder)
    .some((folder) => isInside(folder, real) && !isInside(folder, realRoot))
}

/**
 * True when a file is one of aman's own files under another name. It must not be opened: closing a file of a database
 * would end the locks that this process holds on it (POSIX).
 */
function isAmanFile(stat: Stats, ownFolders: readonly string[]): boolean {
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

// Characters that the file system HFS+ ignores in a name (git's utf8.c, next_hfs_char).
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu

/**
 * True when a file system might treat this name as `.git`: if only the case differs, with ignored characters, or in one
 * of the spellings that Windows accepts (trailing dots and spaces, a stream, the short name). Git protects its folder
 * in the same way.
 */
export function isGitFolderName(name: string): boolean {
  const seen = lenientName(name)
  return seen === ".git" || seen === "git~1"
}

/** The name in the form in which the most tolerant file system compares it, in lower case. */
function lenientName(name: string): string {
  return name
    .replace(IGNORED, "")
    .replace(/:.*$/su, "")
    .replace(/[. ]+$/u, "")
    .toLowerCase()
}
