/*
 * Requests of protocol version 2026-07-28 and later over HTTP. Each is answered by itself, by a protocol layer that lives
 * as long as the request; there are no sessions. The SDK checks version, capabilities and headers; this file limits
 * number, size and time of the requests, and serves the streams of `subscriptions/listen`.
 */

import {
  createMcpHandler,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpHttpHandler,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server"
import type { HttpOptions } from "../../../ask/index.ts"
import { log } from "../../../base/index.ts"
import { valuesProblem } from "../../verbs/fields.ts"
import { followChanges, Subscriptions } from "../resources/serve.ts"
import type { Server } from "../session/server.ts"
import { createConnection, type RegisterOffer } from "../session/session.ts"
import { MAX_OPEN, TIMED_OUT, withArguments } from "../transports/gate.ts"
import { withEnd } from "./responses.ts"

type Owner = number

export class ModernRequests implements Disposable {
  readonly #handler: McpHttpHandler
  readonly #maxCallMs: number
  readonly #maxStreams: number
  readonly #server: Server
  readonly #subscriptions = new Subscriptions()
  readonly #calls = new Counts()
  readonly #streams = new Counts()
  #watch: Disposable | null = null

  constructor(server: Server, offer: RegisterOffer, config: HttpOptions["config"]) {
    this.#server = server
    this.#maxCallMs = config.requestTimeoutMs
    this.#maxStreams = config.maxSessions
    this.#handler = createMcpHandler(
      async ({ requestInfo }) => {
        const root = (await server.rootAt(new URL(requestInfo!.url).pathname)) ?? undefined
        return createConnection(server, offer, { era: "modern", isOfOneRequest: true, root }).mcp
      },
      {
        legacy: "reject",
        maxSubscriptions: config.maxSessions,
        onerror: (error) => log.warn("protocol error", { kind: error.name }),
      },
    )
  }

  /** Answers one message of the client whose token has this index. */
  async answer(request: Request, message: JSONRPCMessage, owner: Owner): Promise<Response> {
    if (!("method" in message && "id" in message))
      return this.#handler.fetch(request, { parsedBody: message })
    const isStream = message.method === "subscriptions/listen"
    const problem = isStream ? this.#streamProblem(message, owner) : this.#callProblem(message, owner)
    if (problem !== null) return Response.json(errorTo(message, ProtocolErrorCode.InvalidRequest, problem))
    return isStream ? this.#listen(request, message, owner) : this.#call(request, message, owner)
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]()
    void this.#handler.close()
  }

  #callProblem({ params }: JSONRPCRequest, owner: Owner): string | null {
    if (this.#calls.of(owner) >= MAX_OPEN) return `${MAX_OPEN} calls are still running: wait for some of them`
    return valuesProblem(params)
  }

  #streamProblem({ params }: JSONRPCRequest, owner: Owner): string | null {
    if (this.#streams.of(owner) >= this.#maxStreams)
      return `all ${this.#maxStreams} streams are in use: close one, or raise server.max_sessions`
    return this.#subscriptions.problemWith(params)
  }

  /** Answers a call; cancels it if the client disconnects or if it takes too long. */
  async #call(request: Request, message: JSONRPCRequest, owner: Owner): Promise<Response> {
    const timeout = new AbortController()
    const signal = AbortSignal.any([request.signal, timeout.signal])
    const { url, method, headers } = request
    const late = Promise.withResolvers<Response>()
    const seconds = Math.round(this.#maxCallMs / 1000)
    const error = errorTo(message, TIMED_OUT, `the call took longer than ${seconds} s`)
    const timer = setTimeout(() => {
      late.resolve(Response.json(error))
      timeout.abort()
    }, this.#maxCallMs)
    const end = this.#calls.begin(owner, () => clearTimeout(timer))
    const answer = this.#handler.fetch(new Request(url, { method, headers, signal }), {
      parsedBody: withArguments(message),
    })
    const response = await Promise.race([answer, late.promise])
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false
    if (isStream) {
      return withEnd(response, null, () => {
        end()
        return timeout.signal.aborted ? `event: message\ndata: ${JSON.stringify(error)}\n\n` : undefined
      })
    }
    end()
    return response
  }

  async #listen(request: Request, message: JSONRPCRequest, owner: Owner): Promise<Response> {
    const { notify } = this.#handler
    const response = await this.#handler.fetch(request, { parsedBody: message })
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response
    // Several clients may use the same id, so a key of our own names the stream.
    const key = crypto.randomUUID()
    this.#subscriptions.open({ ...message, id: key })
    this.#watch ??= followChanges(this.#server, {
      subscriptions: this.#subscriptions,
      notifyUpdated: (uri) => notify.resourceUpdated(uri),
      notifyListChanged: () => notify.resourcesChanged(),
    })
    const end = this.#streams.begin(owner, () => this.#subscriptions.close(key))
    return withEnd(response, null, () => void end())
  }
}

/** Number of things in progress for each token. */
class Counts {
  readonly #counts = new Map<Owner, number>()

  of(owner: Owner): number {
    return this.#counts.get(owner) ?? 0
  }

  /** Counts one more in progress; the returned function ends it, once, and calls `onEnd`. */
  begin(owner: Owner, onEnd: () => void): () => void {
    this.#counts.set(owner, this.of(owner) + 1)
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      this.#counts.set(owner, this.of(owner) - 1)
      onEnd()
    }
  }
}

function errorTo({ id }: JSONRPCRequest, code: number, message: string): object {
  return { jsonrpc: "2.0", id, error: { code, message } }
}
