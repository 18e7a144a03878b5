import { ptr } from "bun:ffi"
import { join } from "node:path"
import { type DerivedFile, mapFile, mapRegularFile, verifyDerived } from "./derived-files.ts"
import { openDropPages } from "./drop-pages.ts"

/** A file that is read from start to end, at one position or at several that advance together. */
export type SequentialFile = {
  readonly bytes: Uint8Array
  /**
   * Removes the pages read so far from the process's resident memory; they stay in the system's page cache.
   */
  readonly releasePages: () => void
}

/** Opens a verified file for sequential reading; null if it must be rebuilt. */
export function openSequentialDerived(folder: string, row: DerivedFile): SequentialFile | null {
  if (verifyDerived(folder, row) === null) return null
  const path = join(folder, row.name)
  return mapped(path) ?? readWithoutRelease(path)
}

function mapped(path: string): SequentialFile | null {
  try {
    const bytes = mapRegularFile(path)
    const drop = openDropPages()
    return { bytes, releasePages: () => drop?.(Number(ptr(bytes)), bytes.length) }
  } catch {
    // Mapping can fail for the reasons given in mapFile.
    return null
  }
}

function readWithoutRelease(path: string): SequentialFile | null {
  const bytes = mapFile(path)
  return bytes === null ? null : { bytes, releasePages: () => {} }
}
