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
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import type { HttpOptions } from "../../app/project/serve-options.ts"
import type { Root } from "../../app/repositories/served-roots.ts"
import { log } from "../../base/log.ts"
import { readBounded } from "../../base/read-bounded.ts"
import { type Connection, createConnection, type RegisterOffer } from "../session/connection.ts"
import type { Server } from "../session/server.ts"
import { EventLog } from "../transports/event-log.ts"
import { MessageGate } from "../transports/gate.ts"
import { SseTransport } from "../transports/sse.ts"
import { ModernRequests } from "./modern.ts"
import { messagesIn, NO_SESSION, refusal } from "./refusal.ts"
import { withEnd } from "./response-stream.ts"
import { type HttpSession, Sessions } from "./sessions.ts"

const MAX_BODY_MS = 30_000
// Max characters of sent messages kept for a client, which may reconnect and ask for missed messages: room for a few
// large answers.
const KEPT_CHARACTERS = 512 * 1024

const RETRY_MS = 1000

type Client = HttpSession & {
  readonly carrier:
    | { readonly kind: "streamable"; readonly transport: WebStandardStreamableHTTPServerTransport }
    | { readonly kind: "sse"; readonly transport: SseTransport }
}

/** Index of the token that a request came with, among the accepted tokens. */
export type TokenIndex = number

/**
 * Serves streamable HTTP and the older SSE transport: finds the client of a request and passes its messages
 * on.
 */
export class McpHttpServer {
  readonly sessions: Sessions<Client>
  readonly #server: Server
  readonly #offer: RegisterOffer
  readonly #config: HttpOptions["config"]
  readonly #modern: ModernRequests

  constructor(server: Server, offer: RegisterOffer, { config, tokens }: HttpOptions) {
    const owners = tokens.length
    this.#server = server
    this.#offer = offer
    this.#config = config
    this.#modern = new ModernRequests(server, offer, config)
    this.sessions = new Sessions({
      max: config.maxSessions,
      owners,
      idleMs: config.sessionTimeoutMs,
      now: () => performance.now(),
    })
  }

  async close(): Promise<void> {
    this.#modern[Symbol.dispose]()
    await this.sessions.close()
  }

  /** POST, GET and DELETE of /mcp, or of the address of a root. */
  async streamable(request: Request, owner: TokenIndex): Promise<Response> {
    const root = await this.#server.rootAt(new URL(request.url).pathname)
    if (root === null) return refusal(404, { message: "no folder is served at this address" })
    if (request.method === "POST") return this.#post(request, owner, root)
    const client = this.#client(request.headers.get("mcp-session-id"), owner, "streamable")
    if (client instanceof Response) return client
    const { carrier } = client
    const response = await carrier.transport.handleRequest(request)
    if (response.ok && request.method === "DELETE") await this.sessions.remove(client.id)
    if (!response.ok || request.method !== "GET") return response
    client.listening++
    return withEnd(response, BEGUN, () => {
      client.listening--
      client.seenAt = performance.now()
      return undefined
    })
  }

  /** GET of /sse: opens the stream that carries all answers. */
  async openSse(owner: TokenIndex): Promise<Response> {
    const transport = new SseTransport("/messages")
    const { sessionId: id } = transport
    const client = await this.sessions.add(owner, async () => {
      const gate = this.#gate(transport, false)
      const connection = await this.#connect(gate)
      const carrier = { kind: "sse", transport } as const
      return { id, owner, gate, connection, carrier, listening: 1, seenAt: performance.now() }
    })
    if (client === null) return tooManySessions(this.sessions.limitFor(owner))
    const end = transport.onclose
    transport.onclose = () => {
      end?.()
      void this.sessions.remove(id)
    }
    return transport.response
  }

  /** POST of /messages. */
  async postSse(request: Request, owner: TokenIndex): Promise<Response> {
    const id = new URL(request.url).searchParams.get("sessionId")
    const client = this.#client(id, owner, "sse")
    if (client instanceof Response) return client
    const messages = await this.#messages(request)
    if (messages instanceof Response) return messages
    for (const message of messages) client.carrier.transport.receive(message)
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
        : this.#client(id, owner, "streamable")
    if (client instanceof Response) return client
    const { carrier, gate } = client
    const repeated = repeatedId(messages, gate)
    if (repeated !== null) return refusal(400, { code: ProtocolErrorCode.InvalidRequest, message: repeated })
    const parsedBody = messages.length === 1 ? messages[0] : messages
    const response = await carrier.transport.handleRequest(request, { parsedBody })
    if (id === null && !response.ok) await this.sessions.remove(client.id)
    return response
  }

  async #open(owner: TokenIndex, root: Root | undefined): Promise<(Client & StreamableClient) | Response> {
    const id = randomUUID()
    const client = await this.sessions.add(owner, async () => {
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        eventStore: new EventLog(KEPT_CHARACTERS),
        retryInterval: RETRY_MS,
      })
      const gate = this.#gate(transport, true)
      const connection = await this.#connect(gate, root)
      const carrier = { kind: "streamable", transport } as const
      return { id, owner, gate, connection, carrier, listening: 0, seenAt: performance.now() }
    })
    return client === null
      ? tooManySessions(this.sessions.limitFor(owner))
      : (client as Client & StreamableClient)
  }

  async #connect(gate: MessageGate, root?: Root): Promise<Connection> {
    const connection = createConnection(this.#server, this.#offer, { era: "legacy", root })
    await connection.mcp.connect(gate)
    return connection
  }

  #gate(transport: Transport, answersCancelled: boolean): MessageGate {
    return new MessageGate(transport, { maxCallMs: this.#config.requestTimeoutMs, answersCancelled })
  }

  #client<K extends Client["carrier"]["kind"]>(
    id: string | null,
    owner: TokenIndex,
    kind: K,
  ): (Client & { readonly carrier: { readonly kind: K } }) | Response {
    if (id === null || id === "")
      return refusal(400, { message: "the session id is missing: initialize first" })
    const client = this.sessions.find(id, owner)
    const isThere = client !== null && client.carrier.kind === kind
    if (!isThere) return refusal(404, { code: NO_SESSION, message: "no such session: initialize again" })
    return client as Client & { readonly carrier: { readonly kind: K } }
  }

  async #messages(request: Request): Promise<readonly JSONRPCMessage[] | Response> {
    const { maxBodyBytes, requestTimeoutMs } = this.#config
    const withinMs = Math.min(MAX_BODY_MS, requestTimeoutMs)
    const body = await readBody(request, { maxBytes: maxBodyBytes, withinMs })
    if ("problem" in body) return badBody(body.problem, maxBodyBytes)
    let value: unknown
    try {
      value = JSON.parse(body.text)
    } catch {
      return refusal(400, { code: ProtocolErrorCode.ParseError, message: "not JSON" })
    }
    return messagesIn(value)
  }
}

type StreamableClient = { readonly carrier: { readonly kind: "streamable" } }

function repeatedId(messages: readonly JSONRPCMessage[], gate: MessageGate): string | null {
  const ids = messages.flatMap((message) => ("method" in message && "id" in message ? [message.id] : []))
  if (new Set(ids).size === ids.length && !ids.some((id) => gate.isOpen(id))) return null
  return "a call with this id is still running: use a new id"
}

function badBody(problem: "too large" | "too slow" | "broken", maxBytes: number): Response {
  log.debug("a request was refused", { problem })
  if (problem === "too large")
    return refusal(413, { message: `a request must not exceed ${maxBytes} bytes` }, { connection: "close" })
  if (problem === "too slow") return refusal(408, { message: "the request came too slowly" })
  return refusal(400, { message: "the connection closed during the request" })
}

function tooManySessions(max: number): Response {
  return refusal(
    503,
    { message: `all ${max} sessions are in use: close one, or raise server.max_sessions` },
    { "retry-after": "30" },
  )
}

// Bun sends headers with the first bytes only, and a listening client waits for them.
const BEGUN = new TextEncoder().encode(": listening\n\n")

type RequestBody = { readonly text: string } | { readonly problem: "too large" | "too slow" | "broken" }

/** Reads a request's text within limits on size and time. */
async function readBody(
  request: Request,
  { maxBytes, withinMs }: { readonly maxBytes: number; readonly withinMs: number },
): Promise<RequestBody> {
  if (Number(request.headers.get("content-length")) > maxBytes) return { problem: "too large" }
  const late = AbortSignal.timeout(withinMs)
  try {
    const body = await readBounded(request.body, maxBytes, late)
    return body === null ? { problem: "too large" } : { text: body.toString() }
  } catch {
    return { problem: late.aborted ? "too slow" : "broken" }
  }
}
