import { dlopen, type Pointer } from "bun:ffi"
import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { isDerivedName } from "./derived-files.ts"

const SYMBOLS = { madvise: { args: ["ptr", "usize", "i32"], returns: "i32" } } as const
const LIBRARIES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`]
// linux/mman.h
const MADV_DONTNEED = 4

/** Start, end, permissions, offset and path of a line of /proc/self/maps; proc_pid_maps(5). */
const MAPPED = /^([\da-f]+)-([\da-f]+) (\S{4}) ([\da-f]+) \S+ \d+ +(\/.+)$/

/**
 * Pages of files that this process only reads no longer count as its own: those of the program, most of which nothing needs
 * once it runs, and of indexes. The system keeps them at hand, and what is needed again costs no reading. Linux only. Not
 * while another thread may end a mapping: what lies at its address next would be lost.
 */
export function giveBackPages(): void {
  if (process.platform !== "linux") return
  madvise ??= openLibrary()
  // All of them first: what making these leaves behind may be collected, and mappings with it.
  const ranges = mappings().flatMap(unwritten)
  for (let i = 0; i < ranges.length; i += 2) madvise(ranges[i] as Pointer, ranges[i + 1]!, MADV_DONTNEED)
}

/** Start and length in bytes of what a line of /proc/self/maps names, if it can be given back. */
function unwritten(line: string): number[] {
  const [, start = "", end = "", permissions = "", offset = "", path = ""] = MAPPED.exec(line) ?? []
  if (!isUnwritten(permissions, Number.parseInt(offset, 16), path)) return []
  const from = Number.parseInt(start, 16)
  return [from, Number.parseInt(end, 16) - from]
}

/**
 * What would be lost where something was written must stay: only what cannot be written, and is no part that was before it
 * was locked (addresses filled in at the start); and derived files, which nobody writes, though Bun maps them so that one could.
 */
function isUnwritten(permissions: string, offset: number, path: string): boolean {
  if (permissions[1] === "w") return permissions[3] === "p" && isDerivedName(basename(path))
  return permissions[3] === "s" || permissions[2] === "x" || (offset === 0 && path === process.execPath)
}

type Madvise = ReturnType<typeof dlopen<typeof SYMBOLS>>["symbols"]["madvise"]

// Each opening of it would leave some code behind.
let madvise: Madvise | undefined

function openLibrary(): Madvise {
  for (const name of LIBRARIES) {
    try {
      return dlopen(name, SYMBOLS).symbols.madvise
    } catch {
      // Another system's.
    }
  }
  return (() => 0) as unknown as Madvise
}

function mappings(): string[] {
  try {
    return readFileSync("/proc/self/maps", "utf8").split("\n")
  } catch {
    return []
  }
}
