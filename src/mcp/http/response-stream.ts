/**
 * The response with a body that begins with `first`. `onEnd` is called when either side ends the stream; the text that it
 * returns is sent as the last part.
 */
export function withEnd(
  response: Response,
  first: Uint8Array | null,
  onEnd: () => string | undefined,
): Response {
  const events = response.body!.getReader()
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => {
      if (first !== null) stream.enqueue(first)
    },
    async pull(stream) {
      const { done, value } = await events.read().catch(() => ({ done: true, value: undefined }))
      if (!done) {
        stream.enqueue(value)
        return
      }
      const last = onEnd()
      if (last !== undefined) stream.enqueue(new TextEncoder().encode(last))
      stream.close()
    },
    async cancel(reason) {
      onEnd()
      await events.cancel(reason)
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
