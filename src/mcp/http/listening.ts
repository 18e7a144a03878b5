const BEGUN = new TextEncoder().encode(": listening\n\n")

/**
 * A stream of events whose headers are sent at once: Bun sends them with the first bytes, and a client that listens
 * would wait for those. `onEnd` is called once, whoever ends it.
 */
export function listening(response: Response, onEnd: () => void): Response {
  const events = response.body!.getReader()
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(BEGUN),
    async pull(stream) {
      const { done, value } = await events.read()
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
