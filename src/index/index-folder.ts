import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { AmanError } from "../base/errors.ts"
import { cannotWrite } from "../base/files/cannot-write.ts"
import { modeIn } from "../base/files/create-file.ts"
import { OpenFolder } from "../base/files/open-folder.ts"
import { isInside } from "../base/paths.ts"
import { LOCK_FILE } from "../store/lock/lead.ts"
import { fileError, isNoRoom } from "../store/sqlite-error.ts"

export const INDEX_FILE = "index.db"
const IGNORE_FILE = ".gitignore"

/** Names of all files that aman writes into an index folder. Nothing else in the folder may be touched. */
const OURS =
  /^(?:\.gitignore|wanted|damaged|(?:index|lock|exact)\.db(?:-[a-z]+)?|(?:keyword|vectors)-[\w.-]+)$/u
/**
 * The lock's transactions write nothing, so it never leaves a journal. A journal found here was planted, and
 * SQLite would play it back, which can remove a file anywhere (a "super-journal").
 */
const LOCK_JOURNAL = /^lock\.db-/u

/** An index inside the project reveals what the project's files reveal, so it has the usual permissions. */
const IN_PROJECT = 0o777
/**
 * An index elsewhere is readable by its user only, because other users may not be able to read the project.
 */
const ELSEWHERE = 0o700

/** The folder of a project, and the folder of its index. */
export type IndexPlace = { readonly root: string; readonly dir: string }

/**
 * Opens the folder of an index and holds it; null if it does not exist. Throws IO if a link or a file is in
 * its place.
 */
export function openIndexFolder({ root, dir }: IndexPlace): OpenFolder | null {
  return OpenFolder.open(dir, { isStrict: isInside(root, dir) })
}

/**
 * Creates the index's folder and hides it from git, whatever the project's own ignore rules are. If there is
 * a link, or anything else that is not a plain file, at the path of one of our files, it is removed, because
 * writing through it would change a file elsewhere.
 */
export function ensureIndexFolder({ root, dir }: IndexPlace): OpenFolder {
  let opened: OpenFolder | null = null
  try {
    const isStrict = isInside(root, dir)
    opened = OpenFolder.open(dir, { isStrict, make: isStrict ? IN_PROJECT : ELSEWHERE })
    for (const name of ourNames(opened.at)) {
      if (LOCK_JOURNAL.test(name) || isForeign(join(opened.at, name))) remove(opened.at, name)
    }
    if (!isStrict) makePrivate(opened.at)
    hideFromGit(join(opened.at, IGNORE_FILE))
    return opened
  } catch (cause) {
    opened?.[Symbol.dispose]()
    if (cause instanceof AmanError) throw cause
    if (isNoRoom(cause)) throw fileError(cause, dir)
    throw cannotWrite(dir, cause, "make it writable, or set AMAN_INDEX_DIR to another folder")
  }
}

/** Removes an index whose lock the caller holds. The folder and the lock file stay. */
export function emptyIndexFolder(folder: string): void {
  for (const name of ourNames(folder)) {
    if (name !== IGNORE_FILE && !name.startsWith(LOCK_FILE)) remove(folder, name)
  }
}

/**
 * True when the folder contains files of ours besides the lock, which a process takes before it creates the
 * index.
 */
export function hasIndexFiles(folder: string): boolean {
  return ourNames(folder).some((name) => name !== IGNORE_FILE && !name.startsWith(LOCK_FILE))
}

/**
 * Removes all our files, and the folder unless it contains other files. The lock file goes last, after
 * `forget`: as soon as its name is gone, another process may become leader, and `forget` would then hit that
 * process's index.
 */
export function removeIndexFolder(opened: OpenFolder, forget: () => void): void {
  for (const name of ourNames(opened.at)) if (name !== LOCK_FILE) remove(opened.at, name)
  forget()
  remove(opened.at, LOCK_FILE)
  try {
    if (opened.isInPlace) rmdirSync(opened.path)
  } catch {
    // The folder is not empty: the remaining files are not ours.
  }
}

/** Size in bytes and number of our files in the folder. */
export function indexFolderSize(folder: string): { readonly bytes: number; readonly files: number } {
  const sizes = ourNames(folder).map((name) => {
    // lock.db must never be opened here (see LeaderLock); a stat does not open it.
    return lstatSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  })
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), files: sizes.length }
}

export function indexPath(folder: string): string {
  return join(folder, INDEX_FILE)
}

/**
 * Earlier versions made the folder readable to everyone. A folder that also contains other files keeps its
 * permissions.
 */
function makePrivate(folder: string): void {
  const { mode, uid } = statSync(folder)
  const names = readdirSync(folder)
  if ((mode & 0o077) === 0 || uid !== process.getuid?.() || !names.every((name) => OURS.test(name))) return
  chmodSync(folder, ELSEWHERE)
  for (const name of names) chmodSync(join(folder, name), 0o600)
}

/**
 * True for anything but a plain file with one name. False when it is gone: another process may have recreated
 * it by now.
 */
function isForeign(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && !(found.isFile() && found.nlink <= 1)
}

/**
 * Writes the index's .gitignore. An empty one, left by a full disk or a killed process, is replaced:
 * otherwise git would commit the index.
 */
function hideFromGit(ignore: string): void {
  const found = lstatSync(ignore, { throwIfNoEntry: false })
  if (found !== undefined && found.size > 0) return
  if (found !== undefined) rmSync(ignore, { force: true })
  try {
    // Another process may have created it first.
    writeFileSync(ignore, "*\n", { flag: "wx", mode: modeIn(dirname(ignore)) })
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error
  }
}

function ourNames(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => OURS.test(name)) : []
}

function remove(folder: string, name: string): void {
  rmSync(join(folder, name), { recursive: true, force: true })
}
