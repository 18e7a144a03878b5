import { ATTRIBUTE_FLAGS } from "../../base/files/file-flag.ts"
import type { KnownFile } from "../../store/index/file-rows.ts"
import type { FileTask } from "../pipeline/messages.ts"

export type FoundFile = {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  /** FILE_FLAG bits that `.gitattributes` sets for the file; absent if it sets none. */
  readonly attributeFlags?: number
}

/** The changes that make an index match the files on disk. */
export type Plan = {
  /** Files to read. Whether they changed is decided by their content. */
  readonly read: readonly (Omit<FileTask, "id"> & FoundFile)[]
  /** Ids of versions whose file no longer exists. */
  readonly remove: readonly number[]
}

/**
 * Plans the changes of the index. `indexed` are the file versions in the index that the scan covers; those whose path
 * is not in `found`, the files that the scan found, are removed.
 */
export function plan(indexed: readonly KnownFile[], found: readonly FoundFile[]): Plan {
  const byPath = new Map<string, KnownFile>()
  for (const file of indexed) byPath.set(file[0], file)
  const read = found.map((file) => {
    const old = byPath.get(file.path)
    byPath.delete(file.path)
    return { ...file, knownHash: old !== undefined && hasSameAttributes(old, file) ? old[4] : null }
  })
  return { read, remove: Array.from(byPath.values(), (file) => file[1]) }
}

/**
 * True when `.gitattributes` sets the same flags as at the time of indexing. Otherwise the file is indexed again even
 * if its content is the same.
 */
function hasSameAttributes([, , , , , flags]: KnownFile, { attributeFlags = 0 }: FoundFile): boolean {
  return (flags & ATTRIBUTE_FLAGS) === attributeFlags
}
