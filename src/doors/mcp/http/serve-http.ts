/*
 * MCP over HTTP. A request is admitted (guard.ts). In version 2026-07-28 and later it is answered by itself (modern.ts).
 * In earlier versions its client is found by the session id or a new session is opened, and its messages are passed on
 * through a gate that keeps them in order. Also serves the older SSE transport.
 */

import { randomUUID } from "node:crypto"
import {
  isInitializeRequest,
  isLegacyRequest,
  type JSONRPCMessage,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport as StreamableTransport,
} from "@modelcontextprotocol/server"
import type { HttpAddresses, HttpOptions, Root, ServeOptions } from "../../../ask/index.ts"
import { listen, log, readBounded } from "../../../base/index.ts"
import { MCP_PATH, pathOfRoot, Server } from "../session/server.ts"
import { createConnection, type RegisterOffer } from "../session/session.ts"
import { MessageGate } from "../transports/gate.ts"
import { Guard } from "./guard.ts"
import { ModernRequests } from "./modern.ts"
import { messagesIn, NO_SESSION, refusal, withEnd } from "./responses.ts"
import { EventLog, type HttpSession, Sessions, SseTransport } from "./sessions.ts"

/** Max bytes of a request. */
const MAX_BODY_BYTES = 4 << 20
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
    maxRequestBodySize: 4 * MAX_BODY_BYTES,
    fetch: (request, own) =>
      signal.aborted
        ? refusal(503, { message: "the server is stopping" }, { connection: "close" })
        : guard.pass(request, own, (owner) => door.answer(request, owner)),
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

function addresses(
  { config: { host }, servesSse }: HttpOptions,
  port: number,
  roots: readonly Root[] | undefined,
): HttpAddresses {
  const base = `http://${host.includes(":") ? `[${host}]` : host}:${port}`
  const each = roots?.map(({ name, folder }) => ({ root: folder, url: `${base}${pathOfRoot(name)}` }))
  const sse_url = servesSse ? `${base}/sse` : null
  return { host, port, url: `${base}${MCP_PATH}`, sse_url, ...(each && { roots: each }) }
}

// Max characters of sent messages kept for a client, which may reconnect and ask for missed messages: room for a few
// large answers.
const KEPT_CHARACTERS = 512 * 1024
const RETRY_MS = 1000

type Client = HttpSession & { readonly transport: StreamableTransport | SseTransport }

/** Index of the token that a request came with, among the accepted tokens. */
type TokenIndex = number

/** Finds the client of a request and passes its messages on. */
class McpHttpServer {
  readonly #server: Server
  readonly #offer: RegisterOffer
  readonly #config: HttpOptions["config"]
  readonly #sessions: Sessions<Client>
  readonly #modern: ModernRequests

  constructor(server: Server, offer: RegisterOffer, { config, tokens }: HttpOptions) {
    this.#server = server
    this.#offer = offer
    this.#config = config
    this.#modern = new ModernRequests(server, offer, config)
    this.#sessions = new Sessions({
      max: config.maxSessions,
      owners: tokens.length,
      idleMs: config.sessionTimeoutMs,
      now: () => performance.now(),
    })
  }

  async close(): Promise<void> {
    this.#modern[Symbol.dispose]()
    await this.#sessions.close()
  }

  async answer(request: Request, owner: TokenIndex): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === "/sse" && request.method === "GET") return this.#openSse(owner)
    if (pathname === "/messages" && request.method === "POST") return this.#postSse(request, owner)
    if (pathname === "/sse" || pathname === "/messages")
      return refusal(405, { message: `${request.method} is not allowed for ${pathname}` })
    const root = await this.#server.rootAt(pathname)
    if (root === null) return refusal(404, { message: "no folder is served at this address" })
    return request.method === "POST" ? this.#post(request, owner, root) : this.#getOrDelete(request, owner)
  }

  /** GET opens a stream on which the client listens; DELETE ends its session. */
  async #getOrDelete(request: Request, owner: TokenIndex): Promise<Response> {
    const client = this.#client(request.headers.get("mcp-session-id"), owner, StreamableTransport)
    if (client instanceof Response) return client
    const response = await client.transport.handleRequest(request)
    if (response.ok && request.method === "DELETE") await this.#sessions.remove(client.id)
    if (!response.ok || request.method !== "GET") return response
    client.listening++
    return withEnd(response, BEGUN, () => {
      client.listening--
      client.seenAt = performance.now()
      return undefined
    })
  }

  /** Opens the stream that carries all answers. */
  async #openSse(owner: TokenIndex): Promise<Response> {
    const transport = new SseTransport("/messages")
    const { sessionId: id } = transport
    const client = await this.#add(owner, { id, transport, listening: 1, answersCancelled: false })
    if (client instanceof Response) return client
    const end = transport.onclose
    transport.onclose = () => {
      end?.()
      void this.#sessions.remove(id)
    }
    return transport.response
  }

  async #postSse(request: Request, owner: TokenIndex): Promise<Response> {
    const client = this.#client(new URL(request.url).searchParams.get("sessionId"), owner, SseTransport)
    if (client instanceof Response) return client
    const messages = await this.#messages(request)
    if (messages instanceof Response) return messages
    for (const message of messages) client.transport.receive(message)
    return new Response("Accepted", { status: 202 })
  }

  async #post(request: Request, owner: TokenIndex, root: Root | undefined): Promise<Response> {
    const messages = await this.#messages(request)
    if (messages instanceof Response) return messages
    const id = request.headers.get("mcp-session-id")
    const [message] = messages
    if (messages.length === 1 && !(await isLegacyRequest(request, message)))
      return this.#modern.answer(request, message!, owner)
    const client =
      id === null && messages.some(isInitializeRequest)
        ? await this.#open(owner, root)
        : this.#client(id, owner, StreamableTransport)
    if (client instanceof Response) return client
    const repeated = repeatedId(messages, client.gate)
    if (repeated !== null) return refusal(400, { code: ProtocolErrorCode.InvalidRequest, message: repeated })
    const parsedBody = messages.length === 1 ? message : messages
    const response = await client.transport.handleRequest(request, { parsedBody })
    if (id === null && !response.ok) await this.#sessions.remove(client.id)
    return response
  }

  #open(owner: TokenIndex, root: Root | undefined) {
    const id = randomUUID()
    const transport = new StreamableTransport({
      sessionIdGenerator: () => id,
      eventStore: new EventLog(KEPT_CHARACTERS),
      retryInterval: RETRY_MS,
    })
    return this.#add(owner, { id, transport, listening: 0, answersCancelled: true, root })
  }

  /** Opens a session; a refusal if there is no room for it. */
  async #add<T extends Client["transport"]>(
    owner: TokenIndex,
    { id, transport, listening, answersCancelled, root }: NewSession<T>,
  ): Promise<(Client & { readonly transport: T }) | Response> {
    const client = await this.#sessions.add(owner, async () => {
      const gate = new MessageGate(transport, { maxCallMs: this.#config.requestTimeoutMs, answersCancelled })
      const connection = createConnection(this.#server, this.#offer, { era: "legacy", root })
      await connection.mcp.connect(gate)
      return { id, owner, gate, connection, transport, listening, seenAt: performance.now() }
    })
    if (client !== null) return client as Client & { readonly transport: T }
    const message = `all ${this.#sessions.limitFor(owner)} sessions are in use: close one, or raise server.max_sessions`
    return refusal(503, { message }, { "retry-after": "30" })
  }

  #client<T extends Client["transport"]>(
    id: string | null,
    owner: TokenIndex,
    kind: abstract new (...args: never) => T,
  ): (Client & { readonly transport: T }) | Response {
    if (id === null || id === "")
      return refusal(400, { message: "the session id is missing: initialize first" })
    const client = this.#sessions.find(id, owner)
    if (client?.transport instanceof kind) return client as Client & { readonly transport: T }
    return refusal(404, { code: NO_SESSION, message: "no such session: initialize again" })
  }

  /** The messages of a request, read within limits on size and time; or the refusal of the request. */
  async #messages(request: Request): Promise<readonly JSONRPCMessage[] | Response> {
    const { requestTimeoutMs } = this.#config
    const late = AbortSignal.timeout(Math.min(30_000, requestTimeoutMs))
    const refuse = (status: number, message: string, headers = {}) => {
      log.debug("a request was refused", { message })
      return refusal(status, { message }, headers)
    }
    const isLong = Number(request.headers.get("content-length")) > MAX_BODY_BYTES
    let body: Buffer | null
    try {
      body = isLong ? null : await readBounded(request.body, MAX_BODY_BYTES, late)
    } catch {
      return late.aborted
        ? refuse(408, "the request came too slowly")
        : refuse(400, "the connection closed during the request")
    }
    if (body === null)
      return refuse(413, `a request must not exceed ${MAX_BODY_BYTES} bytes`, { connection: "close" })
    try {
      return messagesIn(JSON.parse(body.toString()))
    } catch {
      return refusal(400, { code: ProtocolErrorCode.ParseError, message: "not JSON" })
    }
  }
}

type NewSession<T> = {
  readonly id: string
  readonly transport: T
  readonly listening: number
  readonly answersCancelled: boolean
  readonly root?: Root | undefined
}

function repeatedId(messages: readonly JSONRPCMessage[], gate: MessageGate): string | null {
  const ids = messages.flatMap((message) => ("method" in message && "id" in message ? [message.id] : []))
  if (new Set(ids).size === ids.length && !ids.some((id) => gate.isOpen(id))) return null
  return "a call with this id is still running: use a new id"
}

// Bun sends headers with the first bytes only, and a listening client waits for them.
const BEGUN = new TextEncoder().encode(": listening\n\n")
