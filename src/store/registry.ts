import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { sha256 } from "../base/sha256.ts"

/** An index that this user's aman made. */
export type IndexEntry = {
  /** What its database carries; nobody who has not seen that database knows it. */
  readonly id: number
  readonly root: string
  /** The index's folder. */
  readonly dir: string
  readonly created: string
}

/**
 * Which indexes are ours: a small file for each, named after the index's folder, so that processes need no lock
 * and a look costs one read. Of several folders the first that can be written keeps what is new.
 */
export class Registry {
  readonly #folders: readonly string[]

  constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /** The entry of the index in `dir`, or null. */
  find(dir: string): IndexEntry | null {
    for (const folder of this.#folders) {
      const entry = isOwn(folder) ? readEntry(join(folder, fileName(dir))) : null
      if (entry?.dir === dir) return entry
    }
    return null
  }

  /** Whether there is something in its place, be it an entry that cannot be read. */
  has(dir: string): boolean {
    return this.#folders.some((folder) => isOwn(folder) && existsSync(join(folder, fileName(dir))))
  }

  /** False where no folder can be written: then nothing can be remembered. */
  add(entry: IndexEntry): boolean {
    return this.#folders.some((folder) => writeEntry(folder, entry))
  }

  remove(dir: string): void {
    for (const folder of this.#folders) {
      if (isOwn(folder)) rmSync(join(folder, fileName(dir)), { force: true })
    }
  }

  /** By root. */
  all(): IndexEntry[] {
    const entries = new Map<string, IndexEntry>()
    for (const folder of this.#folders.filter(isOwn)) {
      for (const name of namesIn(folder)) {
        const entry = readEntry(join(folder, name))
        if (entry !== null && !entries.has(entry.dir)) entries.set(entry.dir, entry)
      }
    }
    return [...entries.values()].sort((a, b) => (a.root < b.root ? -1 : 1))
  }

  /** Whether something new would be remembered. */
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
    // Absent, or cut by a full disk: the index is made anew then.
    return null
  }
}

function writeEntry(folder: string, entry: IndexEntry): boolean {
  if (!prepare(folder)) return false
  const path = join(folder, fileName(entry.dir))
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, JSON.stringify(entry), { mode: 0o600, flag: "wx" })
    renameSync(temporary, path)
    return true
  } catch {
    rmSync(temporary, { force: true })
    return false
  }
}

function prepare(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return isOwn(folder)
  } catch {
    return false
  }
}

/** Somebody else's folder in a place that all users share could vouch for anything. */
function isOwn(folder: string): boolean {
  try {
    return process.getuid === undefined || lstatSync(folder).uid === process.getuid()
  } catch {
    return false
  }
}

function namesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".json"))
}
