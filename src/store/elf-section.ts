import { closeSync, openSync, readSync } from "node:fs"

export type Section = { readonly offset: number; readonly size: number }

/**
 * Where in a program's file a section lies; null where there is none of that name, or no ELF file of 64 bits. elf(5).
 */
export function elfSection(path: string, name: string): Section | null {
  let descriptor: number
  try {
    descriptor = openSync(path, "r")
  } catch {
    return null
  }
  try {
    return findSection((at, size) => bytesOf(descriptor, at, size), name)
  } catch {
    return null
  } finally {
    closeSync(descriptor)
  }
}

type Read = (at: number, size: number) => Buffer

const HEADER_BYTES = 64
/** "\x7fELF", 64 bits, little-endian. */
const MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1])

function findSection(read: Read, name: string): Section | null {
  const header = read(0, HEADER_BYTES)
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) return null
  const entryBytes = header.readUInt16LE(58)
  const count = header.readUInt16LE(60)
  const table = read(Number(header.readBigUInt64LE(40)), entryBytes * count)
  const entries = Array.from({ length: count }, (_, at) => table.subarray(at * entryBytes))
  const strings = placeOf(entries[header.readUInt16LE(62)]!)
  const names = read(strings.offset, strings.size)
  const found = entries.find((entry) => {
    const from = entry.readUInt32LE(0)
    return names.toString("latin1", from, names.indexOf(0, from)) === name
  })
  return found ? placeOf(found) : null
}

function placeOf(entry: Buffer): Section {
  return { offset: Number(entry.readBigUInt64LE(24)), size: Number(entry.readBigUInt64LE(32)) }
}

function bytesOf(descriptor: number, at: number, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  return bytes.subarray(0, readSync(descriptor, bytes, 0, size, at))
}
