/** A byte array that postings are appended to: it grows, or hands what it has to `flush` and begins anew. */
export type ByteWriter = {
  bytes: Uint8Array
  /** Of what is in `bytes`; before it lie `flushed` bytes more. */
  length: number
  flushed: number
  readonly flush: ((bytes: Uint8Array) => void) | null
}

/** What a flushing writer holds at most, but for a single longer piece. */
const FLUSH_BYTES = 4 << 20

export function createByteWriter(capacity: number, flush: ByteWriter["flush"] = null): ByteWriter {
  const bytes = new Uint8Array(Math.max(flush === null ? capacity : Math.min(capacity, FLUSH_BYTES), 64))
  return { bytes, length: 0, flushed: 0, flush }
}

/** Where the next byte goes, from the beginning of all. */
export function positionOf(writer: ByteWriter): number {
  return writer.flushed + writer.length
}

/** Makes room for `more` bytes; grows by half, which keeps old and new within 2.5 times the content. */
export function reserveBytes(writer: ByteWriter, more: number): void {
  if (writer.flush !== null && writer.length + more > FLUSH_BYTES) flushBytes(writer)
  const needed = writer.length + more
  if (needed <= writer.bytes.length) return
  const larger = new Uint8Array(Math.max(needed, Math.ceil(writer.bytes.length * 1.5)))
  larger.set(writer.bytes.subarray(0, writer.length))
  writer.bytes = larger
}

export function flushBytes(writer: ByteWriter): void {
  if (writer.flush === null || writer.length === 0) return
  writer.flush(writer.bytes.subarray(0, writer.length))
  writer.flushed += writer.length
  writer.length = 0
}

/** Sections start on multiples of eight, so that any typed array can look at them. */
export function alignWriter(writer: ByteWriter): void {
  const padding = -positionOf(writer) & 7
  reserveBytes(writer, padding)
  writer.bytes.fill(0, writer.length, writer.length + padding)
  writer.length += padding
}
