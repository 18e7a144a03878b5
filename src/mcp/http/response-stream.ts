/** The response with a body that begins with `first`. `onEnd` is called when either side ends the stream. */
export function withEnd(response: Response, first: Uint8Array | null, onEnd: () => void): Response {
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
      onEnd()
      stream.close()
    },
    async cancel(reason) {
      onEnd()
      await events.cancel(reason)
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
