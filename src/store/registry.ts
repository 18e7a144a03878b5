import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { compareTexts, OpenFolder, replaceFile, sha256 } from "../base/index.ts"

/** The record of an index that aman has created for this user. */
export type IndexEntry = {
  /** The id that is stored in the database of the index. Only users who can read the database know it. */
  readonly id: number
  readonly root: string
  /** The folder of the index. */
  readonly dir: string
  readonly created: string
}

/**
 * A list of the indexes that aman has created for this user. Each has one small file, named by a hash of the index's
 * folder, so that processes need no lock and a lookup reads one file. New entries go to the first folder that is
 * writable.
 */
export class Registry {
  readonly #folders: readonly string[]

  constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /** The entry of the index in the folder `dir`; null if there is none. */
  find(dir: string): IndexEntry | null {
    for (const folder of this.#folders) {
      const entry = isOfUser(folder) ? readEntry(join(folder, fileName(dir))) : null
      if (entry?.dir === dir) return entry
    }
    return null
  }

  /** True if a file for this index exists, even if its entry cannot be read. */
  has(dir: string): boolean {
    return this.#folders.some((folder) => isOfUser(folder) && existsSync(join(folder, fileName(dir))))
  }

  /** Stores an entry; false if no folder is writable. */
  add(entry: IndexEntry): boolean {
    return this.#folders.some((folder) => writeEntry(folder, entry))
  }

  remove(dir: string): void {
    for (const folder of this.#folders) {
      using open = isOfUser(folder) ? OpenFolder.open(folder) : null
      if (open !== null) rmSync(join(open.at, fileName(dir)), { force: true })
    }
  }

  /** All entries, sorted by root. */
  all(): IndexEntry[] {
    const entries = new Map<string, IndexEntry>()
    for (const folder of this.#folders.filter(isOfUser)) {
      for (const name of folderNames(folder)) {
        const entry = readEntry(join(folder, name))
        if (entry !== null && !entries.has(entry.dir)) entries.set(entry.dir, entry)
      }
    }
    return [...entries.values()].sort((a, b) => compareTexts(a.root, b.root))
  }

  /** True if a folder is writable, so that `add` can store entries. */
  get isWritable(): boolean {
    return this.#folders.some(prepare)
  }
}

function fileName(dir: string): string {
  return `${sha256(dir).slice(0, 32)}.json`
}

function readEntry(path: string): IndexEntry | null {
  try {
    const { id, root, dir, created } = JSON.parse(readFileSync(path, "utf8"))
    const isWhole = Number.isSafeInteger(id) && typeof root === "string" && typeof dir === "string"
    return isWhole ? { id, root, dir, created: String(created) } : null
  } catch {
    // The file is missing, or was truncated by a full disk. The index is then built again.
    return null
  }
}

function writeEntry(folder: string, entry: IndexEntry): boolean {
  try {
    using open = OpenFolder.open(folder, { make: 0o700 })
    if (!isOfUser(folder) || !isOpenOfUser(open)) return false
    replaceFile(join(open.at, fileName(entry.dir)), JSON.stringify(entry))
    return true
  } catch {
    return false
  }
}

function prepare(folder: string): boolean {
  try {
    using open = OpenFolder.open(folder, { make: 0o700 })
    return isOfUser(folder) && isOpenOfUser(open)
  } catch {
    return false
  }
}

/**
 * True if the folder belongs to this user. In a shared location, a folder of another user could declare any index as
 * trusted.
 */
function isOfUser(folder: string): boolean {
  try {
    return process.getuid === undefined || lstatSync(folder).uid === process.getuid()
  } catch {
    return false
  }
}

/** Like `isOfUser`, for a folder that is already open, because its path may name another folder by now. */
function isOpenOfUser({ at }: OpenFolder): boolean {
  return process.getuid === undefined || statSync(at).uid === process.getuid()
}

function folderNames(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".json"))
}
