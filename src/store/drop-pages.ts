import type { Pointer } from "bun:ffi"
import { openSystemLibrary } from "./system-library.ts"

const SYMBOLS = { madvise: { args: ["ptr", "usize", "i32"], returns: "i32" } } as const
// linux/mman.h
const MADV_DONTNEED = 4

type DropPages = (from: number, length: number) => void

/**
 * What lets the pages of a mapping go: of a file that nobody writes they are as they were when they are next looked at,
 * of anything else what stood there is lost. Null where the system has none such; Linux only.
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
