import type { Pointer } from "bun:ffi"
import { openSystemLibrary } from "../system-library.ts"

const SYMBOLS = { madvise: { args: ["ptr", "usize", "i32"], returns: "i32" } } as const
// Constants from linux/mman.h
const MADV_DONTNEED = 4

type DropPages = (from: number, length: number) => void

/**
 * Returns a function that drops the resident pages of a memory mapping. Pages of a file that is not written are read
 * again at the next access. The content of any other memory is lost. Null where this is not possible; it is available
 * on Linux only.
 */
export function openDropPages(): DropPages | null {
  if (opened === undefined) opened = open()
  return opened
}

let opened: DropPages | null | undefined

function open(): DropPages | null {
  const madvise = process.platform === "linux" ? openSystemLibrary(SYMBOLS)?.madvise : undefined
  if (madvise === undefined) return null
  return (from, length) => {
    madvise(from as Pointer, length, MADV_DONTNEED)
  }
}
