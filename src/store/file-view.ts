import { type Pointer, ptr } from "bun:ffi"
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { openSystemLibrary } from "./system-library.ts"

/** Memory that bytes are copied to; it must neither move nor end before the view. */
export type Room = { readonly bytes: Uint8Array; readonly address: number }

/** A file that pieces are copied out of. */
export type FileView = Disposable & {
  readonly size: number
  /** What lies beyond the file, or is asked of a view that was closed, is zeros. */
  copy(from: number, length: number, room: Room, at: number): void
  /** Pieces of one length, the file's first being number 0: the first `count` that are named, end to end. */
  gather(numbers: Uint32Array, count: number, length: number, room: Room, at: number): void
}

const SYMBOLS = {
  mmap: { args: ["usize", "usize", "i32", "i32", "i32", "i64"], returns: "ptr" },
  munmap: { args: ["usize", "usize"], returns: "i32" },
  memcpy: { args: ["ptr", "ptr", "u32"], returns: "void" },
} as const

// sys/mman.h of Linux and macOS
const PROT_READ = 1
const MAP_SHARED = 1

export function roomOf(bytes: Uint8Array): Room {
  try {
    // The bytes of a small array move when its buffer is first asked for.
    return { bytes, address: Number(ptr(bytes.buffer, bytes.byteOffset)) }
  } catch {
    // No foreign calls on this system, so that no file is mapped either.
    return { bytes, address: 0 }
  }
}

/**
 * A file for many small reads at random: 30 to 80 ns for 512 bytes, a read by the system 1.1 µs. Mapped past the
 * engine, which would take the mapped bytes for its own and let as much garbage lie. Windows reads. Throws what opening
 * throws.
 */
export function openFileView(path: string, isMapped = true): FileView {
  const file = openSync(path, "r")
  const { size } = fstatSync(file)
  const mapped = isMapped ? map(file, size) : null
  if (mapped === null) return readingView(file, size)
  closeSync(file)
  return mapped
}

type Calls = NonNullable<ReturnType<typeof openSystemLibrary<typeof SYMBOLS>>>

let calls: Calls | null | undefined

function map(file: number, size: number): FileView | null {
  if (calls === undefined) calls = openSystemLibrary(SYMBOLS)
  if (calls === null || size === 0) return null
  const { mmap, munmap, memcpy } = calls
  let start = Number(mmap(0, size, PROT_READ, MAP_SHARED, file, 0) ?? 0)
  // MAP_FAILED is −1, of which an unsigned number makes 2⁶⁴.
  if (start <= 0 || !Number.isSafeInteger(start)) return null
  const copy: FileView["copy"] = (from, length, room, at) => {
    if (start === 0 || !fits(from, length, size) || !fits(at, length, room.bytes.length))
      room.bytes.fill(0, at, at + length)
    else memcpy((room.address + at) as Pointer, (start + from) as Pointer, length)
  }
  return {
    size,
    copy,
    gather: (numbers, count, length, room, at) => {
      const pieces =
        start === 0 || !fits(at, count * length, room.bytes.length) ? 0 : Math.floor(size / length)
      let to = room.address + at
      for (let i = 0; i < count; i++, to += length) {
        const number = numbers[i]!
        if (number < pieces) memcpy(to as Pointer, (start + number * length) as Pointer, length)
        else copy(size, length, room, at + i * length)
      }
    },
    [Symbol.dispose]: () => {
      if (start > 0) munmap(start, size)
      start = 0
    },
  }
}

function readingView(file: number, size: number): FileView {
  let isOpen = true
  const copy: FileView["copy"] = (from, length, { bytes }, at) => {
    const isThere = isOpen && fits(from, length, size) && fits(at, length, bytes.length)
    let done = 0
    while (isThere && done < length) {
      const read = readSync(file, bytes, at + done, length - done, from + done)
      if (read === 0) break
      done += read
    }
    if (done < length) bytes.fill(0, at + done, at + length)
  }
  return {
    size,
    copy,
    gather: (numbers, count, length, room, at) => {
      for (let i = 0; i < count; i++) copy(numbers[i]! * length, length, room, at + i * length)
    },
    [Symbol.dispose]: () => {
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}

function fits(from: number, length: number, size: number): boolean {
  return from >= 0 && length >= 0 && from + length <= size
}
