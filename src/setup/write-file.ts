import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { cannotWrite } from "../base/cannot-write.ts"
import { AmanError } from "../base/errors.ts"
import { writeAll } from "../base/write-all.ts"

/** What is there now; null: nothing. */
type Contents = Uint8Array | null

/**
 * Puts new contents in the place of those that were planned with, whole or not at all, with the mode and the owner that
 * the file has. A file that changed meanwhile is left alone.
 */
export function replaceFile(path: string, before: Contents, after: Contents): void {
  try {
    if (!isSame(contentsOf(path), before)) throw changedMeanwhile(path)
    if (after === null) rmSync(path)
    else writeWhole(path, after)
  } catch (cause) {
    if (cause instanceof AmanError) throw cause
    throw cannotWrite(
      path,
      cause,
      "make it and its folder writable; what a package manager keeps is changed there",
    )
  }
}

/** Deletes folders that are empty, the innermost first, until one is not. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder)
    } catch {
      // Somebody keeps something there.
      return
    }
  }
}

/** A copy under a name that nothing has yet; for the user's eyes only, as settings hold keys. */
export function keepBackup(folder: string, name: string, bytes: Uint8Array): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (let count = 1; ; count++) {
    const path = join(folder, count === 1 ? name : `${name}.${count}`)
    try {
      writeNew(path, bytes, { mode: 0o600 })
      return path
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") continue
      // Half of a copy would be taken for one.
      rmSync(path, { force: true })
      throw error
    }
  }
}

function writeWhole(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = join(dirname(path), `.${basename(path)}.aman-${process.pid}`)
  try {
    writeNew(temporary, bytes, lstatSync(path, { throwIfNoEntry: false }))
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

type Belongings = { readonly mode: number; readonly uid?: number; readonly gid?: number }

function writeNew(path: string, bytes: Uint8Array, like: Belongings | undefined): void {
  const file = openSync(path, "wx", like === undefined ? 0o666 : like.mode & 0o777)
  try {
    if (like !== undefined) takeAfter(file, like)
    writeAll(file, bytes)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** The owner matters where root writes a user's file; a change of owner takes bits of the mode away. */
function takeAfter(file: number, { mode, uid, gid }: Belongings): void {
  const self = process.getuid?.()
  if (self === 0 && uid !== undefined && gid !== undefined) fchownSync(file, uid, gid)
  fchmodSync(file, mode & 0o7777)
}

function contentsOf(path: string): Contents {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null
    throw error
  }
}

function isSame(one: Contents, other: Contents): boolean {
  if (one === null || other === null) return one === other
  return Buffer.compare(one, other) === 0
}

function changedMeanwhile(path: string): AmanError {
  return new AmanError("IO", `${path} changed while this ran; it was left as it is`, {
    hint: "close what is writing it, and run the same again",
  })
}
