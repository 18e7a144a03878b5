import { lstatSync, type Stats } from "node:fs"
import { join, posix } from "node:path"
import { entriesIn } from "../../base/files/files.ts"
import type { NormalizedLines } from "./normalized-lines.ts"
import { fileOrFolderAt, type LocalProject, readLines } from "./place.ts"

/**
 * Maximum files and total bytes read for one source; with more, lines that moved to another file are not
 * found.
 */
const MAX_FILES = 200
const MAX_BYTES = 4 * 1024 * 1024
const MAX_KEPT_BYTES = 4 * MAX_BYTES

type CachedValue<T> = { readonly stamp: string; readonly value: T }

/**
 * Reads the files in which lines that left a source's file may be found now. Unchanged files and folders are not read
 * again.
 */
export class NearFiles {
  readonly #place: LocalProject
  readonly #folders = new Map<string, CachedValue<readonly string[]>>()
  readonly #lines = new Map<string, CachedValue<NormalizedLines | null>>()
  #keptBytes = 0

  constructor(place: LocalProject) {
    this.#place = place
  }

  /**
   * Lines by path, of these files and of all files in these folders with this extension (".ts"); null when
   * there are too many.
   */
  read(
    paths: readonly string[],
    folders: readonly string[],
    ending: string,
  ): ReadonlyMap<string, NormalizedLines> | null {
    const listed = folders.flatMap((folder) => this.#listed(folder))
    const wanted = new Set([...paths, ...listed.filter((path) => posix.extname(path) === ending)])
    if (wanted.size > MAX_FILES) return null
    const found = [...wanted].sort().map((path) => ({ path, stat: this.#stat(path) }))
    if (found.reduce((sum, { stat }) => sum + (stat?.size ?? 0), 0) > MAX_BYTES) return null
    return new Map(
      found.flatMap(({ path, stat }) => {
        const lines = stat?.isFile() ? this.#read(path, stat) : null
        return lines === null ? [] : [[path, lines] as const]
      }),
    )
  }

  /** Paths of the files directly in a folder; they begin with the folder's path with its links resolved. */
  #listed(named: string): readonly string[] {
    const found = fileOrFolderAt(this.#place, named)
    if (typeof found === "string" || found.isFile) return []
    const stat = this.#stat(found.path)
    const known = this.#folders.get(found.path)
    if (stat === null) return []
    if (known?.stamp === statStamp(stat)) return known.value
    const value = entriesIn(join(this.#place.root, found.path))
      .filter((entry) => entry.isFile())
      .map(({ name }) => posix.join(found.path, name))
    this.#folders.set(found.path, { stamp: statStamp(stat), value })
    return value
  }

  #read(path: string, stat: Stats): NormalizedLines | null {
    const known = this.#lines.get(path)
    if (known?.stamp === statStamp(stat)) return known.value
    const lines = readLines(this.#place, path)
    const value = typeof lines === "string" ? null : lines
    if (this.#keptBytes + stat.size > MAX_KEPT_BYTES) {
      this.#lines.clear()
      this.#keptBytes = 0
    }
    this.#lines.set(path, { stamp: statStamp(stat), value })
    this.#keptBytes += stat.size
    return value
  }

  #stat(path: string): Stats | null {
    try {
      return lstatSync(join(this.#place.root, path), { throwIfNoEntry: false }) ?? null
    } catch {
      return null
    }
  }
}

function statStamp({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
}
