import { existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { AmanError } from "../base/errors.ts"
import { LOCK_FILE } from "../store/lead.ts"
import { fullDisk } from "../store/sqlite-error.ts"

export const INDEX_FILE = "index.db"
const IGNORE_FILE = ".gitignore"

/** Everything that we write into an index folder, and nothing else in it is ours to touch. */
const OURS = /^(?:\.gitignore|wanted|(?:index|lock)\.db(?:-[a-z]+)?|(?:keyword|vectors)-[\w.-]+)$/u
/**
 * The lock's transactions write nothing, so it never leaves a journal. One that is there was put there, and SQLite
 * would play it back, which can remove a file anywhere (a "super-journal").
 */
const LOCK_JOURNAL = /^lock\.db-/u

/**
 * Makes the index's folder, invisible to git whatever the project's own rules say. What stands in the place of our
 * files and is none, a link above all, goes: writing through it would write elsewhere.
 */
export function ensureIndexFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    for (const name of ourNames(folder)) {
      if (LOCK_JOURNAL.test(name) || isForeign(join(folder, name))) remove(folder, name)
    }
    hideFromGit(join(folder, IGNORE_FILE))
  } catch (cause) {
    const full = fullDisk(cause, folder)
    if (full !== cause) throw full
    throw new AmanError("IO", `cannot write the index folder ${folder}`, {
      hint: "make it writable, or name another one with AMAN_INDEX_DIR",
      cause,
    })
  }
}

/** Removes an index whose lock the caller holds; the folder and the lock stay. */
export function emptyIndexFolder(folder: string): void {
  for (const name of ourNames(folder)) {
    if (name !== IGNORE_FILE && !name.startsWith(LOCK_FILE)) remove(folder, name)
  }
}

/**
 * Removes all of ours, and the folder unless somebody keeps something else in it. The lock goes last: as soon as its file
 * has no name, another may lead.
 */
export function removeIndexFolder(folder: string): void {
  for (const name of ourNames(folder)) if (name !== LOCK_FILE) remove(folder, name)
  remove(folder, LOCK_FILE)
  try {
    rmdirSync(folder)
  } catch {
    // Not empty: what is left is not ours.
  }
}

/** Bytes and number of our files in it. */
export function indexFolderSize(folder: string): { readonly bytes: number; readonly files: number } {
  const sizes = ourNames(folder).map((name) => {
    // lock.db must never be opened here, and a stat does not: see Lead.
    return lstatSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  })
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), files: sizes.length }
}

export function indexPath(folder: string): string {
  return join(folder, INDEX_FILE)
}

/** What is gone meanwhile is not: by now it may be there again, as another process's. */
function isForeign(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && !(found.isFile() && found.nlink <= 1)
}

/** An empty one was left by a full disk, or by who was killed: the index would be committed. */
function hideFromGit(ignore: string): void {
  const found = lstatSync(ignore, { throwIfNoEntry: false })
  if (found !== undefined && found.size > 0) return
  if (found !== undefined) rmSync(ignore, { force: true })
  try {
    // Unless another process was first.
    writeFileSync(ignore, "*\n", { flag: "wx" })
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
