/** A server on this machine whose answers never end. It does not keep the test running. */
export function endlessServer(status = 200): URL {
  const part = new Uint8Array(1 << 20).fill(0x20)
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      const { pathname } = new URL(url)
      if (pathname === "/health") return new Response("ok")
      let isBegun = false
      const body = new ReadableStream<Uint8Array>({
        pull: (stream) => {
          stream.enqueue(isBegun ? part : Buffer.from('{"results":[],"text":"'))
          isBegun = true
        },
      })
      return new Response(body, { status, headers: { "content-type": "application/json" } })
    },
  })
  server.unref()
  return server.url
}
