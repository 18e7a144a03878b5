import { alignWriter, type ByteWriter, createByteWriter, reserveBytes } from "./byte-writer.ts"
import { type Counts, HEADER_BYTES, SECTIONS, type Section, writeHeader } from "./layout.ts"

/** Writes sections one after the other into one buffer, then the header over its reserved place. */
export type SegmentWriter = {
  /** Appends a whole section. */
  add(section: Section, content: Uint32Array | Uint8Array): void
  /** A section written piece by piece, to the writer it gets or by `append`, until it returns. */
  stream(section: Section, write: (out: ByteWriter) => void): void
  append(bytes: Uint8Array): void
  finish(counts: Counts): Uint8Array
}

export function createSegmentWriter(expectedBytes: number): SegmentWriter {
  const out = createByteWriter(expectedBytes + HEADER_BYTES)
  const offsets = new Uint32Array(SECTIONS.length)
  const lengths = new Uint32Array(SECTIONS.length)
  reserveBytes(out, HEADER_BYTES)
  out.length = HEADER_BYTES

  function stream(section: Section, write: (out: ByteWriter) => void): void {
    alignWriter(out)
    const start = out.length
    write(out)
    const place = SECTIONS.indexOf(section)
    offsets[place] = start
    lengths[place] = out.length - start
  }

  function append(bytes: Uint8Array): void {
    reserveBytes(out, bytes.length)
    out.bytes.set(bytes, out.length)
    out.length += bytes.length
  }

  function add(section: Section, content: Uint32Array | Uint8Array): void {
    stream(section, () => append(new Uint8Array(content.buffer, content.byteOffset, content.byteLength)))
  }

  function finish(counts: Counts): Uint8Array {
    alignWriter(out)
    const header = new Uint32Array(out.bytes.buffer, 0, HEADER_BYTES / 4)
    writeHeader(header, { counts, offsets, lengths }, out.length)
    return out.bytes.subarray(0, out.length)
  }

  return { add, stream, append, finish }
}
