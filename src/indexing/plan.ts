import type { KnownFile } from "../store/files.ts"
import type { FileTask } from "./messages.ts"

export type FoundFile = { readonly path: string; readonly size: number; readonly mtimeMs: number }

/** What to do to an index so that it shows the files found. */
export type Plan = {
  /** To be read: new, or of another size or time than known; the bytes decide. */
  readonly read: readonly (Omit<FileTask, "id"> & { readonly size: number })[]
  /** Versions whose file is gone, by id. */
  readonly remove: readonly number[]
}

/** Files whose time is this close to the last scan may have changed within the clock's grain: read again. */
export type PlanOptions = { readonly racyAfterMs: number }

export function plan(known: readonly KnownFile[], found: readonly FoundFile[], options: PlanOptions): Plan {
  const byPath = new Map<string, KnownFile>()
  for (const file of known) byPath.set(file[0], file)
  const read: { path: string; knownHash: string | null; size: number }[] = []
  for (const { path, size, mtimeMs } of found) {
    const old = byPath.get(path)
    byPath.delete(path)
    if (old === undefined) {
      read.push({ path, knownHash: null, size })
    } else if (old[2] !== size || old[3] !== mtimeMs || mtimeMs >= options.racyAfterMs) {
      read.push({ path, knownHash: old[4], size })
    }
  }
  const remove = Array.from(byPath.values(), (file) => file[1])
  return { read, remove }
}
