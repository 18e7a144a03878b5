import { ptr } from "bun:ffi"
import { join } from "node:path"
import { type DerivedFile, mapFile, verifyDerived } from "./derived-files.ts"
import { openDropPages } from "./drop-pages.ts"

/** A file for who reads all of it, in one place or in several that move on together. */
export type WalkedFile = {
  readonly bytes: Uint8Array
  /** What was read until now counts as resident no longer. The system keeps it at hand. */
  readonly letGo: () => void
}

/** A verified file; null where it must be rebuilt. */
export function walkDerived(folder: string, row: DerivedFile): WalkedFile | null {
  if (verifyDerived(folder, row) === null) return null
  const path = join(folder, row.name)
  return mapped(path) ?? readAsItIs(path)
}

function mapped(path: string): WalkedFile | null {
  try {
    const bytes = Bun.mmap(path, { shared: false })
    const drop = openDropPages()
    return { bytes, letGo: () => drop?.(Number(ptr(bytes)), bytes.length) }
  } catch {
    // As in mapFile.
    return null
  }
}

function readAsItIs(path: string): WalkedFile | null {
  const bytes = mapFile(path)
  return bytes === null ? null : { bytes, letGo: () => {} }
}
