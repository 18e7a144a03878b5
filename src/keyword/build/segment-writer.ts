import {
  HEADER_BYTES,
  SECTIONS,
  type SegmentCounts,
  type SegmentSection,
  writeHeader,
} from "../format/layout.ts"
import {
  alignWriter,
  type ByteWriter,
  createByteWriter,
  flushBytes,
  positionOf,
  reserveBytes,
} from "./byte-writer.ts"

/** Where a segment is written that is too large to be built in memory. */
export type SegmentSink = {
  append(bytes: Uint8Array): void
  /** Overwrites the first of the appended bytes. */
  writeHead(bytes: Uint8Array): void
}

/**
 * Writes sections one after the other. At the end, it writes the header into the space that was reserved for it at the
 * start.
 */
export type SegmentWriter = {
  /** Appends a whole section. */
  add(section: SegmentSection, content: Uint32Array | Uint8Array): void
  /** Appends a section whose content `write` produces piece by piece. */
  stream(section: SegmentSection, write: (out: ByteWriter) => void): void
  /** Returns the segment; with a sink only its header, because everything else has been written already. */
  finish(counts: SegmentCounts): Uint8Array
}

export function createSegmentWriter(expectedBytes: number, sink: SegmentSink | null = null): SegmentWriter {
  const out = createByteWriter(expectedBytes + HEADER_BYTES, sink && ((bytes) => sink.append(bytes)))
  const offsets = new Uint32Array(SECTIONS.length)
  const lengths = new Uint32Array(SECTIONS.length)
  reserveBytes(out, HEADER_BYTES)
  out.length = HEADER_BYTES

  function stream(section: SegmentSection, write: (out: ByteWriter) => void): void {
    alignWriter(out)
    const start = positionOf(out)
    write(out)
    const place = SECTIONS.indexOf(section)
    offsets[place] = start
    lengths[place] = positionOf(out) - start
  }

  function append(bytes: Uint8Array): void {
    reserveBytes(out, bytes.length)
    out.bytes.set(bytes, out.length)
    out.length += bytes.length
  }

  function add(section: SegmentSection, content: Uint32Array | Uint8Array): void {
    stream(section, () => append(new Uint8Array(content.buffer, content.byteOffset, content.byteLength)))
  }

  function finish(counts: SegmentCounts): Uint8Array {
    alignWriter(out)
    const byteLength = positionOf(out)
    if (sink === null) {
      const header = new Uint32Array(out.bytes.buffer, 0, HEADER_BYTES / 4)
      writeHeader(header, { counts, offsets, lengths }, byteLength)
      return out.bytes.subarray(0, out.length)
    }
    flushBytes(out)
    const header = new Uint32Array(HEADER_BYTES / 4)
    writeHeader(header, { counts, offsets, lengths }, byteLength)
    const bytes = new Uint8Array(header.buffer)
    sink.writeHead(bytes)
    return bytes
  }

  return { add, stream, finish }
}
