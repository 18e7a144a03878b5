import { inflateRawSync } from "node:zlib"

/** A ZIP archive in memory, whose files are unpacked one at a time and never beyond a limit. */
export type ZipEntries = {
  readonly names: readonly string[]
  /** The unpacked file as UTF-8; null if there is none of this name, it is damaged, or too large. */
  text(name: string): string | null
  /** True if a file was not unpacked because it, or all of them together, exceed the limits. */
  isCut(): boolean
}

const MAX_ENTRIES = 4_000
const MAX_FILE_BYTES = 8 << 20
/** For all files of one archive together. */
const MAX_TOTAL_BYTES = 24 << 20

const END_SIGNATURE = 0x06054b50
const ENTRY_SIGNATURE = 0x02014b50
const LOCAL_SIGNATURE = 0x04034b50
const END_BYTES = 22
const ENTRY_BYTES = 46
const LOCAL_BYTES = 30
const STORED = 0
const DEFLATED = 8
const IS_ENCRYPTED = 1

type Entry = { readonly method: number; readonly packedBytes: number; readonly at: number }

/**
 * Reads the directory of a ZIP archive; null if the bytes are none, or one that is split, encrypted or larger than 4 GB.
 * Sizes that the archive states are not believed: unpacking stops at the limits.
 */
export function zipEntries(bytes: Uint8Array): ZipEntries | null {
  const entries = entriesIn(bytes)
  if (entries === null) return null
  let leftBytes = MAX_TOTAL_BYTES
  let isCut = false
  return {
    names: [...entries.keys()],
    isCut: () => isCut,
    text(name) {
      const entry = entries.get(name)
      const maxBytes = Math.min(leftBytes, MAX_FILE_BYTES)
      const unpacked = entry === undefined ? null : unpack(bytes, entry, maxBytes)
      isCut ||= unpacked === "too large"
      if (unpacked === null || unpacked === "too large") return null
      leftBytes -= unpacked.length
      return new TextDecoder().decode(unpacked)
    },
  }
}

function entriesIn(bytes: Uint8Array): Map<string, Entry> | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endOfDirectory(view)
  if (end === null) return null
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  const entries = new Map<string, Entry>()
  for (let nth = 0; nth < Math.min(count, MAX_ENTRIES); nth++) {
    if (at + ENTRY_BYTES > bytes.length || view.getUint32(at, true) !== ENTRY_SIGNATURE) return null
    const nameBytes = view.getUint16(at + 28, true)
    const name = new TextDecoder().decode(bytes.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes))
    const isEncrypted = (view.getUint16(at + 8, true) & IS_ENCRYPTED) !== 0
    if (!isEncrypted && !entries.has(name))
      entries.set(name, {
        method: view.getUint16(at + 10, true),
        packedBytes: view.getUint32(at + 20, true),
        at: view.getUint32(at + 42, true),
      })
    at += ENTRY_BYTES + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return entries
}

/** The record at the end, before which only a comment of at most 64 KiB may follow. */
function endOfDirectory(view: DataView): number | null {
  const first = Math.max(0, view.byteLength - END_BYTES - 0xffff)
  for (let at = view.byteLength - END_BYTES; at >= first; at--)
    if (view.getUint32(at, true) === END_SIGNATURE) return at
  return null
}

function unpack(
  bytes: Uint8Array,
  { method, packedBytes, at }: Entry,
  maxBytes: number,
): Uint8Array | null | "too large" {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (at + LOCAL_BYTES > bytes.length || view.getUint32(at, true) !== LOCAL_SIGNATURE) return null
  const start = at + LOCAL_BYTES + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
  const packed = bytes.subarray(start, start + packedBytes)
  if (method === STORED) return packed.length <= maxBytes ? packed : "too large"
  if (method !== DEFLATED) return null
  if (maxBytes <= 0) return "too large"
  try {
    return inflateRawSync(packed, { maxOutputLength: maxBytes })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? "too large" : null
  }
}
