import { ATTRIBUTE_FLAGS } from "../../base/files/file-flag.ts"
import type { KnownFile } from "../../store/index/file-rows.ts"
import type { FileTask } from "../pipeline/messages.ts"

export type FoundFile = {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  /** FILE_FLAG bits that `.gitattributes` sets for the file; absent where it sets none. */
  readonly attributeFlags?: number
}

/** The changes that bring an index in line with the files found. */
export type Plan = {
  /** Files to read; the bytes decide whether they changed. */
  readonly read: readonly (Omit<FileTask, "id"> & FoundFile)[]
  /** Ids of versions whose file is gone. */
  readonly remove: readonly number[]
}

/**
 * Plans the changes of the index. `known`: the versions in the index that `found` should cover; those whose
 * path is not in `found` are removed.
 */
export function plan(known: readonly KnownFile[], found: readonly FoundFile[]): Plan {
  const byPath = new Map<string, KnownFile>()
  for (const file of known) byPath.set(file[0], file)
  const read = found.map((file) => {
    const old = byPath.get(file.path)
    byPath.delete(file.path)
    return { ...file, knownHash: old !== undefined && hasSameAttributes(old, file) ? old[4] : null }
  })
  return { read, remove: Array.from(byPath.values(), (file) => file[1]) }
}

/**
 * True when `.gitattributes` says the same as at indexing. If not, the file is indexed again though its bytes
 * are the same.
 */
function hasSameAttributes([, , , , , flags]: KnownFile, { attributeFlags = 0 }: FoundFile): boolean {
  return (flags & ATTRIBUTE_FLAGS) === attributeFlags
}
