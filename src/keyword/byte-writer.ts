/** A growing byte array that postings are appended to. */
export type ByteWriter = { bytes: Uint8Array; length: number }

export function createByteWriter(capacity: number): ByteWriter {
  return { bytes: new Uint8Array(Math.max(capacity, 64)), length: 0 }
}

/** Makes room for `more` bytes; grows by half, which keeps old and new within 2.5 times the content. */
export function reserveBytes(writer: ByteWriter, more: number): void {
  const needed = writer.length + more
  if (needed <= writer.bytes.length) return
  const larger = new Uint8Array(Math.max(needed, Math.ceil(writer.bytes.length * 1.5)))
  larger.set(writer.bytes.subarray(0, writer.length))
  writer.bytes = larger
}

/** Sections start on multiples of eight, so that any typed array can look at them. */
export function alignWriter(writer: ByteWriter): void {
  const padding = -writer.length & 7
  reserveBytes(writer, padding)
  writer.bytes.fill(0, writer.length, writer.length + padding)
  writer.length += padding
}
