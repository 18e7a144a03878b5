import type { ProjectOptions } from "../../app/project/open-project.ts"
import type { HttpOptions, Listening } from "../../app/project/serve-options.ts"
import { AmanError } from "../../base/errors.ts"
import { log } from "../../base/log.ts"
import { Door } from "../http/door.ts"
import { Guard } from "../http/guard.ts"
import { refusal } from "../http/refusal.ts"
import type { Offer } from "./connection.ts"
import { Server } from "./server.ts"

// Limit for a connection without traffic; streams send a pulse twice as often.
const IDLE_S = 30

/** Serves one project to several clients over HTTP until the signal aborts; `offer` registers the tools. */
export async function serveHttp(
  options: ProjectOptions,
  http: HttpOptions,
  signal: AbortSignal,
  offer: Offer,
): Promise<void> {
  await using server = new Server(options, { followsClient: false })
  const door = new Door(server, offer, http)
  const guard = new Guard(http)
  const listener = listen(http, (request, own) =>
    signal.aborted ? stopping() : guard.pass(request, own, (owner) => route(door, request, owner)),
  )
  http.onListening(addresses(http, listener.port!))
  log.info("listening", { host: http.config.host, port: listener.port })
  await new Promise((resolve) => {
    if (signal.aborted) resolve(null)
    signal.addEventListener("abort", resolve, { once: true })
  })
  await server.calls.settle()
  await door.sessions.close()
  await listener.stop(true)
  log.info("stopped listening")
}

type Handle = (request: Request, server: Bun.Server<undefined>) => Promise<Response> | Response

function listen({ config }: HttpOptions, handle: Handle): Bun.Server<undefined> {
  const { host: hostname, port, maxBodyBytes } = config
  try {
    return Bun.serve({
      hostname,
      port,
      development: false,
      // Otherwise two servers could share the port, each with its own tokens.
      reusePort: false,
      idleTimeout: IDLE_S,
      // Slightly oversized requests get an error message; much larger ones are not even read.
      maxRequestBodySize: 4 * maxBodyBytes,
      fetch: (request, server) => handle(request, server),
      error: (error) => {
        log.error("a request failed", { message: error.message })
        return refusal(500, { code: -32603, message: "aman failed; see: aman logs" })
      },
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AmanError("IO", `cannot listen on ${hostname} port ${port}: ${reason}`, {
      hint: "another program may use the port; to choose a free one: --port 0",
      cause: error,
    })
  }
}

async function route(door: Door, request: Request, owner: number): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === "/mcp") return door.streamable(request, owner)
  if (pathname === "/sse" && request.method === "GET") return door.openSse(owner)
  if (pathname === "/messages" && request.method === "POST") return door.postSse(request, owner)
  return refusal(405, { message: `${request.method} is not allowed for ${pathname}` })
}

function stopping(): Response {
  return refusal(503, { message: "the server is stopping" }, { connection: "close" })
}

function addresses({ config: { host, servesSse } }: HttpOptions, port: number): Listening {
  const base = `http://${host.includes(":") ? `[${host}]` : host}:${port}`
  return { host, port, url: `${base}/mcp`, sse_url: servesSse ? `${base}/sse` : null }
}
