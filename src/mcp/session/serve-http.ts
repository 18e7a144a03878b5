import type { HttpAddresses, HttpOptions, ServeOptions } from "../../app/project/serve-options.ts"
import type { Root } from "../../app/repositories/served-roots.ts"
import { listen } from "../../base/listen.ts"
import { log } from "../../base/log.ts"
import { McpHttpServer } from "../http/door.ts"
import { Guard } from "../http/guard.ts"
import { refusal } from "../http/refusal.ts"
import type { RegisterOffer } from "./connection.ts"
import { MCP_PATH, pathOfRoot, Server } from "./server.ts"

// Seconds without traffic after which a connection is closed. The guard turns this limit off for requests that it
// admits, because answers may take long.
const IDLE_S = 30

/** Serves the projects to several clients over HTTP until the signal aborts; `offer` registers the tools. */
export async function serveHttp(
  options: ServeOptions,
  http: HttpOptions,
  signal: AbortSignal,
  offer: RegisterOffer,
): Promise<void> {
  await using server = new Server(options, { followsClient: false })
  const door = new McpHttpServer(server, offer, http)
  const guard = new Guard(http)
  const listener = listen({
    hostname: http.config.host,
    port: http.config.port,
    idleTimeout: IDLE_S,
    // Slightly oversized requests get an error message; much larger ones are not even read.
    maxRequestBodySize: 4 * http.config.maxBodyBytes,
    fetch: (request, own) =>
      signal.aborted ? stopping() : guard.pass(request, own, (owner) => route(door, request, owner)),
    error: (error) => {
      log.error("a request failed", { message: error.message })
      return refusal(500, { code: -32603, message: "aman failed; see: aman logs" })
    },
  })
  http.onListening(addresses(http, listener.port!, (await server.roots())?.all))
  log.info("listening", { host: http.config.host, port: listener.port })
  await new Promise((resolve) => {
    if (signal.aborted) resolve(null)
    signal.addEventListener("abort", resolve, { once: true })
  })
  await server.calls.settle()
  await door.close()
  await listener.stop(true)
  log.info("stopped listening")
}

async function route(door: McpHttpServer, request: Request, owner: number): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === MCP_PATH || pathname.startsWith(`${MCP_PATH}/`)) return door.streamable(request, owner)
  if (pathname === "/sse" && request.method === "GET") return door.openSse(owner)
  if (pathname === "/messages" && request.method === "POST") return door.postSse(request, owner)
  return refusal(405, { message: `${request.method} is not allowed for ${pathname}` })
}

function stopping(): Response {
  return refusal(503, { message: "the server is stopping" }, { connection: "close" })
}

function addresses(
  { config: { host, servesSse } }: HttpOptions,
  port: number,
  roots: readonly Root[] | undefined,
): HttpAddresses {
  const base = `http://${host.includes(":") ? `[${host}]` : host}:${port}`
  const each = roots?.map(({ name, folder }) => ({ root: folder, url: `${base}${pathOfRoot(name)}` }))
  const sse_url = servesSse ? `${base}/sse` : null
  return { host, port, url: `${base}${MCP_PATH}`, sse_url, ...(each && { roots: each }) }
}
