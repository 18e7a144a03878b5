import { type Pointer, ptr } from "bun:ffi"
import { closeSync, fstatSync, readSync } from "node:fs"
import { openRegularFile } from "../../base/files/files.ts"
import { openSystemLibrary } from "../system-library.ts"

/** Memory that bytes are copied to. It must not be moved or freed before the file is closed. */
export type CopyTarget = { readonly bytes: Uint8Array; readonly address: number }

/** A file open for random reads, whose bytes are copied into the caller's memory. */
export type RandomAccessFile = Disposable & {
  readonly size: number
  /**
   * Copies bytes to offset `at` of the target. Bytes beyond the end of the file are zeros, and so are all bytes of a
   * closed file.
   */
  copy(from: number, length: number, target: CopyTarget, at: number): void
  /**
   * Treats the file as a sequence of pieces of `length` bytes. Copies the first `count` pieces listed in `numbers` to
   * the target, one after the other.
   */
  gather(numbers: Uint32Array, count: number, length: number, target: CopyTarget, at: number): void
}

const SYMBOLS = {
  mmap: { args: ["usize", "usize", "i32", "i32", "i32", "i64"], returns: "ptr" },
  munmap: { args: ["usize", "usize"], returns: "i32" },
  memcpy: { args: ["ptr", "ptr", "u32"], returns: "void" },
} as const

// Constants from sys/mman.h of Linux and macOS
const PROT_READ = 1
const MAP_SHARED = 1

export function copyTargetOf(bytes: Uint8Array): CopyTarget {
  try {
    // `buffer` must be accessed before the address is read, because the first access moves the bytes of a small array.
    return { bytes, address: Number(ptr(bytes.buffer, bytes.byteOffset)) }
  } catch {
    // This system does not support foreign function calls, so no file is mapped and the address is not used.
    return { bytes, address: 0 }
  }
}

/**
 * Opens a file for many small random reads. From mapped memory, 512 bytes take 30 to 80 ns; a read system call takes
 * 1.1 µs. The file is mapped by a direct system call, because the JavaScript engine would count the mapped bytes as its
 * own memory and collect garbage much later. On Windows the file is read instead of mapped. Throws the error of
 * `openSync`.
 */
export function openRandomAccessFile(path: string, isMapped = true): RandomAccessFile {
  const file = openRegularFile(path)
  const { size } = fstatSync(file)
  const mapped = isMapped ? mapOutsideEngine(file, size) : null
  if (mapped === null) return readWithCalls(file, size)
  closeSync(file)
  return mapped
}

type Calls = NonNullable<ReturnType<typeof openSystemLibrary<typeof SYMBOLS>>>

let calls: Calls | null | undefined

function mapOutsideEngine(file: number, size: number): RandomAccessFile | null {
  if (calls === undefined) calls = openSystemLibrary(SYMBOLS)
  if (calls === null || size === 0) return null
  const { mmap, munmap, memcpy } = calls
  let start = Number(mmap(0, size, PROT_READ, MAP_SHARED, file, 0) ?? 0)
  // MAP_FAILED is −1, which is about 2⁶⁴ as an unsigned number.
  if (start <= 0 || !Number.isSafeInteger(start)) return null
  const copy: RandomAccessFile["copy"] = (from, length, target, at) => {
    if (start === 0 || !fits(from, length, size) || !fits(at, length, target.bytes.length))
      target.bytes.fill(0, at, at + length)
    else memcpy((target.address + at) as Pointer, (start + from) as Pointer, length)
  }
  return {
    size,
    copy,
    gather: (numbers, count, length, target, at) => {
      const pieces =
        start === 0 || !fits(at, count * length, target.bytes.length) ? 0 : Math.floor(size / length)
      let to = target.address + at
      for (let i = 0; i < count; i++, to += length) {
        const number = numbers[i]!
        if (number < pieces) memcpy(to as Pointer, (start + number * length) as Pointer, length)
        else copy(size, length, target, at + i * length)
      }
    },
    [Symbol.dispose]: () => {
      if (start > 0) munmap(start, size)
      start = 0
    },
  }
}

function readWithCalls(file: number, size: number): RandomAccessFile {
  let isOpen = true
  const copy: RandomAccessFile["copy"] = (from, length, { bytes }, at) => {
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
    gather: (numbers, count, length, target, at) => {
      for (let i = 0; i < count; i++) copy(numbers[i]! * length, length, target, at + i * length)
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
