import { lstatSync } from "node:fs"
import { mostBytes } from "../text/notebook-file.ts"
import { type Counts, count, type ScannedFile, type SkipReason } from "./scan-result.ts"
import { isIndexFile, type Walk } from "./scan-walk.ts"

/** Adds a file of the project to the walk, or says why it is left out. Opens nothing. */
export function addFile(walk: Walk, path: string, said: number): SkipReason | null {
  if (isFull(walk)) return "over the limit"
  try {
    const found = lstatSync(`${walk.root}/${path}`)
    if (!found.isFile()) return found.isSymbolicLink() ? "link" : "not a file"
    if (found.nlink > 1 && isIndexFile(walk, found.dev, found.ino)) return "index"
    const seen = { path, size: found.size, mtimeMs: found.mtimeMs }
    const file = said === 0 ? seen : { ...seen, said }
    const isLarge = found.size > mostBytes(path, walk.options.maxFileBytes)
    ;(isLarge ? walk.tooLarge : walk.files).push(file)
    return isLarge ? "too large" : null
  } catch (error) {
    return errorReason(error)
  }
}

export function addKnownFile(walk: Walk, file: ScannedFile, skipped: Counts): void {
  if (isFull(walk)) count(skipped, "over the limit")
  else walk.files.push(file)
}

// No project has so many; a tree of empty folders may.
const MOST_FOLDERS_A_FILE = 4

/** Nothing more is added: a tree that never ends must not keep anybody waiting. */
export function isFull({ options, files, folders }: Walk): boolean {
  const most = options.maxFiles ?? Number.POSITIVE_INFINITY
  return files.length >= most || folders.length >= most * MOST_FOLDERS_A_FILE
}

/** What a system call says of a file or folder that was listed a moment ago. */
export function errorReason(error: unknown): SkipReason {
  const code = error instanceof Error && "code" in error ? error.code : null
  if (code === "ENOENT" || code === "ENOTDIR") return "gone"
  return code === "ENAMETOOLONG" ? "path too long" : "unreadable"
}
