/**
 * Reads a whole stream that comes from outside, such as the body of a response or the output of a program. Null if it
 * has more than `maxBytes`; it is then cancelled. Throws what the stream throws, and the reason of `signal` once that is
 * aborted.
 */
export async function readBounded(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Buffer<ArrayBuffer> | null> {
  if (stream === null) return Buffer.alloc(0)
  const reader = stream.getReader()
  const cancel = () => reader.cancel().catch(() => {})
  signal?.addEventListener("abort", cancel, { once: true })
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal?.throwIfAborted()
      if (done || value === undefined) return Buffer.concat(parts)
      size += value.length
      if (size > maxBytes) {
        await cancel()
        return null
      }
      parts.push(value)
    }
  } finally {
    signal?.removeEventListener("abort", cancel)
  }
}
