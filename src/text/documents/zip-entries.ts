import { Unzip, UnzipInflate } from "fflate"
import type { DocumentWork } from "./document-work.ts"

/** The unpacked files of a ZIP archive. */
export type ZipEntries = {
  readonly names: readonly string[]
  /** The content of a file as UTF-8; null if the archive has no file of this name or it is damaged. */
  text(name: string): string | null
}

const MAX_ENTRIES = 4_000
/**
 * Number of packed bytes that are processed at a time. Deflate unpacks to at most 1,032 times the size, so that a step
 * never needs more than 16 MiB.
 */
const STEP_BYTES = 16 << 10

/** Unpacks the files of a ZIP archive whose names match `wanted`. Null if the bytes are no archive. */
export function zipEntries(bytes: Uint8Array, wanted: RegExp, work: DocumentWork): ZipEntries | null {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return null
  const entries = new Map<string, Uint8Array[] | null>()
  let count = 0
  const archive = new Unzip((file) => {
    if (count++ >= MAX_ENTRIES || !wanted.test(file.name) || entries.has(file.name)) return
    const parts: Uint8Array[] = []
    let partBytes = 0
    entries.set(file.name, parts)
    file.ondata = (error, data) => {
      if (error !== null) return void entries.set(file.name, null)
      // The sizes that the archive states are not trusted.
      partBytes += data.length
      work.unpack(data.length, partBytes)
      parts.push(data)
    }
    file.start()
  })
  archive.register(UnzipInflate)
  try {
    for (let at = 0; at < bytes.length && count <= MAX_ENTRIES; at += STEP_BYTES)
      archive.push(bytes.slice(at, at + STEP_BYTES), at + STEP_BYTES >= bytes.length)
  } catch {
    // The end of the archive is missing or damaged, and the files before it have already been read; or it is too large.
  }
  return {
    names: [...entries.keys()],
    text: (name) => {
      const parts = entries.get(name)
      return parts === undefined || parts === null ? null : Buffer.concat(parts).toString("utf8")
    },
  }
}
