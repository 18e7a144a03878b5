import { closeSync, constants, lstatSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { fileIdentity, isPlain, PLAIN_FILE_FLAGS } from "../base/files/files.ts"
import { indexPath } from "./index-folder.ts"

/**
 * Name of the file by which a reader reports that the index is damaged. Its content identifies the damaged index.db, so
 * that a newer one is not deleted.
 */
export const DAMAGED_FILE = "damaged"
const MAX_BYTES = 100

const WRITE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | PLAIN_FILE_FLAGS

/**
 * Asks the leader to rebuild the index. Writes to a plain file only, because the history of the project may have put a
 * link at that path.
 */
export function markDamaged(folder: string): void {
  const path = join(folder, DAMAGED_FILE)
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined && !isPlain(path)) return
  const file = openSync(path, WRITE_FLAGS, 0o644)
  try {
    writeSync(file, fileIdentity(indexPath(folder)))
  } finally {
    closeSync(file)
  }
}

/**
 * Removes the mark. Returns true if a reader left it for the index.db that exists now. Only the leader may call this.
 */
export function takeDamagedMark(folder: string): boolean {
  const path = join(folder, DAMAGED_FILE)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return false
  const isOurs = isPlain(path) && found.size <= MAX_BYTES
  const named = isOurs
    ? readFileSync(path, { encoding: "utf8", flag: constants.O_RDONLY | PLAIN_FILE_FLAGS })
    : ""
  rmSync(path, { recursive: true, force: true })
  return named !== "" && named === fileIdentity(indexPath(folder))
}

export function isMarkedDamaged(folder: string): boolean {
  return lstatSync(join(folder, DAMAGED_FILE), { throwIfNoEntry: false }) !== undefined
}
