/**
 * A byte array to which bytes are appended. It grows; or, with `flush`, it passes its content to `flush` and is filled
 * again from the start.
 */
export type ByteWriter = {
  bytes: Uint8Array
  /** Number of bytes in `bytes` that are in use. */
  length: number
  /** Number of bytes that were already passed to `flush`. */
  flushed: number
  readonly flush: ((bytes: Uint8Array) => void) | null
}

/** Maximum number of bytes that a writer with `flush` buffers, unless a single write is longer. */
const FLUSH_BYTES = 4 << 20

export function createByteWriter(capacity: number, flush: ByteWriter["flush"] = null): ByteWriter {
  const bytes = new Uint8Array(Math.max(flush === null ? capacity : Math.min(capacity, FLUSH_BYTES), 64))
  return { bytes, length: 0, flushed: 0, flush }
}

/** Position of the next byte, counting the bytes that were flushed. */
export function positionOf(writer: ByteWriter): number {
  return writer.flushed + writer.length
}

/**
 * Makes room for `more` bytes. The array grows by half, so that the old and the new array together take at most 2.5
 * times the size of the content.
 */
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

/**
 * Adds zeros up to a multiple of eight. Sections start at such positions, so that a typed array of any kind can be
 * placed on them.
 */
export function alignWriter(writer: ByteWriter): void {
  const padding = -positionOf(writer) & 7
  reserveBytes(writer, padding)
  writer.bytes.fill(0, writer.length, writer.length + padding)
  writer.length += padding
}
