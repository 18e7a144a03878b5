import { SAID } from "../base/file-flag.ts"
import type { KnownFile } from "../store/file-rows.ts"
import type { FileTask } from "./messages.ts"

export type FoundFile = {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  /** FILE_FLAG bits of what `.gitattributes` says of it; absent where it says nothing. */
  readonly said?: number
}

/** What to do to an index so that it shows the files found. */
export type Plan = {
  /** To be read: the bytes decide whether they changed. */
  readonly read: readonly (Omit<FileTask, "id"> & FoundFile)[]
  /** Versions whose file is gone, by id. */
  readonly remove: readonly number[]
}

/** `known`: the versions in the index that `found` must account for; those it does not name are gone. */
export function plan(known: readonly KnownFile[], found: readonly FoundFile[]): Plan {
  const byPath = new Map<string, KnownFile>()
  for (const file of known) byPath.set(file[0], file)
  const read = found.map((file) => {
    const old = byPath.get(file.path)
    byPath.delete(file.path)
    return { ...file, knownHash: old !== undefined && isSpokenOfAs(old, file) ? old[4] : null }
  })
  return { read, remove: Array.from(byPath.values(), (file) => file[1]) }
}

/** Where `.gitattributes` says something else by now, the file counts as another though its bytes are the same. */
function isSpokenOfAs([, , , , , flags]: KnownFile, { said = 0 }: FoundFile): boolean {
  return (flags & SAID) === said
}
