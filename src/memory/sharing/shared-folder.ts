import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
} from "node:fs"
import { join } from "node:path"
import { AmanError } from "../../base/errors.ts"
import type { ImportRemark } from "../formats/imported.ts"

/**
 * Folder committed with the project. Its content is untrusted: it is checked, and links in it are not
 * followed.
 */
export const SHARED_FOLDER = ".aman-memory"

/**
 * Limits for files and their size: higher than what a team writes in years, and low enough to read everything at
 * once.
 */
export const SHARED_LIMITS = { files: 500, bytes: 64 << 20, lineChars: 1 << 20 }

export type SharedFile = { readonly name: string; readonly text: string }

export type SharedFolder = {
  readonly files: readonly SharedFile[]
  readonly remarks: readonly ImportRemark[]
}

/** True for names of files in the folder: a random id for each store, which does not reveal its owner. */
export function isSharedFile(name: string): boolean {
  return /^[0-9a-hjkmnp-tv-z]{20}\.jsonl$/.test(name)
}

/**
 * The files of the folder; empty when it does not exist. Other names are ignored; links, pipes and files
 * above the limits are skipped with a remark. Throws IO when the path is a link or a file.
 */
export function readSharedFolder(root: string): SharedFolder {
  const remarks: ImportRemark[] = []
  const files: SharedFile[] = []
  let left = SHARED_LIMITS.bytes
  for (const { name, stat } of sharedStats(root)) {
    const remark = (message: string) => remarks.push({ file: name, line: null, message })
    if (!stat.isFile()) remark("is not a regular file and was not read")
    else if (files.length >= SHARED_LIMITS.files)
      remark(`was not read: more than ${SHARED_LIMITS.files} files`)
    else if (stat.size > left) remark(`was not read: more than ${SHARED_LIMITS.bytes >> 20} MiB in all`)
    else {
      const text = readPlain(join(root, SHARED_FOLDER, name))
      if (text === null) remark("could not be read")
      else {
        files.push({ name, text })
        left -= stat.size
      }
    }
  }
  return { files, remarks }
}

/**
 * Text that changes when a file of the folder changes: name, size, time and inode of each; "" without files.
 */
export function sharedStamp(root: string): string {
  return sharedStats(root)
    .map(({ name, stat }) => `${name}:${stat.size}:${stat.mtimeMs}:${stat.ino}`)
    .join("\n")
}

/** Path of the folder; null when it does not exist. Throws IO when it is a link or a file. */
export function sharedFolderPath(root: string): string | null {
  const path = join(root, SHARED_FOLDER)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return null
  if (stat.isDirectory()) return path
  throw new AmanError(
    "IO",
    `${SHARED_FOLDER} in this project is a link or a file, not a folder; it was not changed`,
    {
      hint: "remove it, then run: aman memory sync",
    },
  )
}

function sharedStats(root: string): { name: string; stat: Stats }[] {
  const folder = sharedFolderPath(root)
  if (folder === null) return []
  return readdirSync(folder)
    .filter(isSharedFile)
    .sort()
    .flatMap((name) => {
      const stat = lstatSync(join(folder, name), { throwIfNoEntry: false })
      return stat === undefined ? [] : [{ name, stat }]
    })
}

/**
 * Reads a plain file without blocking on a pipe or following a link; null when the file has been replaced.
 */
function readPlain(path: string): string | null {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  try {
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const stat = fstatSync(file)
      return stat.isFile() && stat.size <= SHARED_LIMITS.bytes ? readFileSync(file, "utf8") : null
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}
