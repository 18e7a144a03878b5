import { lstatSync, realpathSync, type Stats } from "node:fs"
import { isAbsolute, join } from "node:path"
import { AmanError } from "../base/errors.ts"
import { isInside, toPosix } from "../base/paths.ts"
import { isGitFolderName, seenAs } from "../git/git-folder.ts"
import { isSecretPath } from "../indexing/scan-secrets.ts"
import { indexFileIds } from "../indexing/scan-walk.ts"
import type { Project } from "./open-project.ts"

export type ProjectPath = {
  /** As the project spells it, links resolved; "" for the root. */
  readonly path: string
  readonly stat: Stats
}

/**
 * A path that somebody named, if it leads to something in the project that may be shown. Throws OUTSIDE_ROOT for
 * whatever else it may lead to, links followed, and NOT_FOUND.
 */
export function projectPath({ root, config }: Project, named: string): ProjectPath {
  if (isForeign(named)) throw outside(named)
  const full = join(root, named)
  if (!isInside(root, full)) throw outside(named)
  const real = realPath(full)
  if (real === null) {
    throw new AmanError("NOT_FOUND", `no file ${JSON.stringify(named)} in ${root}`, {
      hint: "paths are relative to the project root",
    })
  }
  const realRoot = realpathSync(root)
  if (!isInside(realRoot, real)) throw outside(named)
  const path = toPosix(real.slice(realRoot.length).replace(/^[\\/]/u, ""))
  if (isOurs(real, config.index.dir) || isPrivate(path)) throw secret(named)
  const stat = lstatSync(real, { throwIfNoEntry: false })
  if (stat === undefined || stat.isSymbolicLink()) throw outside(named)
  // By another name, too: opening and closing lock.db would end this process's lead (POSIX).
  if (stat.nlink > 1 && stat.isFile() && indexFileIds(config.index.dir).has(`${stat.dev}:${stat.ino}`)) {
    throw secret(named)
  }
  return { path, stat }
}

/** Whether an open file is the one that `path` names now, reached without any link: not one put in its place. */
export function isStillThere(project: Project, path: string, opened: Stats): boolean {
  try {
    const full = join(realpathSync(project.root), path)
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

function isOurs(real: string, indexDir: string): boolean {
  return isInside(realPath(indexDir) ?? indexDir, real)
}

function isPrivate(path: string): boolean {
  const parts = path.split("/")
  return parts.some((part) => isGitFolderName(part) || seenAs(part) === ".aman") || isSecretPath(path)
}

function realPath(path: string): string | null {
  try {
    return realpathSync.native(path)
  } catch {
    return null
  }
}

function outside(path: string): AmanError {
  return new AmanError("OUTSIDE_ROOT", `${JSON.stringify(path)} is outside the project`, {
    hint: "name a path relative to the project root, without ..",
  })
}

/** For what may hold keys or passwords, by its name or its text. */
export function secret(path: string): AmanError {
  return new AmanError("OUTSIDE_ROOT", `${JSON.stringify(path)} may hold secrets and is never read`, {
    hint: "open it yourself",
  })
}
