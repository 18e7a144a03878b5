import { createHash, timingSafeEqual } from "node:crypto"
import { isIP } from "node:net"
import { LRUCache } from "lru-cache"
import type { HttpOptions } from "../../../ask/index.ts"
import { isLoopback, log, version } from "../../../base/index.ts"
import { MCP_PATH } from "../session/server.ts"
import { refusal } from "./responses.ts"

// Max wrong tokens per second from one address. Tokens are too long to guess; the limit keeps attempts from using
// resources.
const GUESSES_PER_SECOND = 1

const HEADERS =
  "authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id"

/** Answers an admitted request; `owner` is the index of its token. */
type Handler = (owner: number) => Promise<Response>

/** Checks requests: first host and origin, then the token, then the request rate. */
export class Guard {
  readonly #http: HttpOptions
  readonly #paths: ReadonlySet<string>
  readonly #tokens: Tokens
  readonly #rate: Rate
  readonly #guesses = new Rate(GUESSES_PER_SECOND)

  constructor(http: HttpOptions) {
    this.#http = http
    this.#paths = new Set([MCP_PATH, ...(http.servesSse ? ["/sse", "/messages"] : [])])
    this.#tokens = new Tokens(http.tokens)
    this.#rate = new Rate(http.config.rate)
  }

  /** The answer of `handler`, or a refusal if the request is not admitted. */
  async pass(request: Request, server: Bun.Server<undefined>, handler: Handler): Promise<Response> {
    const { host, allowedHosts, allowedOrigins } = this.#http.config
    const origin = request.headers.get("origin")
    if (!isAllowedHost(request.headers.get("host"), { host, also: allowedHosts }))
      return refuseRequest("host", "this Host header is not allowed: see server.allowed_hosts")
    if (!isAllowedOrigin(origin, { host, also: allowedOrigins }))
      return refuseRequest("origin", "this Origin is not allowed: see server.allowed_origins")
    const response =
      request.method === "OPTIONS"
        ? new Response(null, { status: 204 })
        : await this.#admit(request, server, handler)
    return origin === null ? response : readableBy(origin, response)
  }

  #admit(request: Request, server: Bun.Server<undefined>, handler: Handler): Promise<Response> | Response {
    const { pathname } = new URL(request.url)
    const owner = this.#tokens.bearer(request.headers.get("authorization"))
    if (pathname === "/health") return Response.json({ status: "ok", ...(owner === -1 ? {} : { version }) })
    if (!this.#paths.has(pathname) && !pathname.startsWith(`${MCP_PATH}/`))
      return refusal(404, { message: "not found: the server is at /mcp" })
    const address = server.requestIP(request)?.address ?? "unknown"
    const now = performance.now()
    if (owner === -1) {
      if (!this.#guesses.allows(address, now)) return tooOften()
      log.warn("a request was refused", { reason: "token" })
      return refusal(
        401,
        { message: "a token is missing or wrong: Authorization: Bearer TOKEN" },
        { "www-authenticate": 'Bearer realm="aman"' },
      )
    }
    // A request that names its method is of a protocol version without sessions, whatever session id it brings.
    const client = request.headers.has("mcp-method")
      ? null
      : (request.headers.get("mcp-session-id") ?? new URL(request.url).searchParams.get("sessionId"))
    // Clients behind a proxy have one address, so that their tokens tell them apart before they have a session.
    if (!this.#rate.allows(`${owner} ${address} ${client ?? ""}`, now)) return tooOften()
    // The server's timeout is off, because answers may take long; reading the body has its own limit.
    server.timeout(request, 0)
    return handler(owner)
  }
}

function refuseRequest(reason: string, message: string): Response {
  log.warn("a request was refused", { reason })
  return refusal(403, { message })
}

function tooOften(): Response {
  return refusal(429, { message: "too many requests: wait one second" }, { "retry-after": "1" })
}

/** Adds CORS headers, so that a page of that origin can read the response. */
function readableBy(origin: string, response: Response): Response {
  const headers = {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": HEADERS,
    "access-control-expose-headers": "mcp-session-id",
    "access-control-max-age": "600",
    vary: "origin",
  }
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

// Maximum number of buckets. The least recently used are evicted, so that a client that keeps changing its session id
// evicts mostly its own.
const MAX_NAMES = 10_000

const BURST = 4

/** Limits requests by one token bucket per name: `perSecond` requests a second, BURST times as many at once. */
export class Rate {
  readonly #perSecond: number
  readonly #buckets = new LRUCache<string, { left: number; at: number }>({ max: MAX_NAMES })

  /** `perSecond` 0: no limit. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** True if one more request is allowed; `now` in milliseconds. */
  allows(name: string, now: number): boolean {
    if (this.#perSecond === 0) return true
    const max = this.#perSecond * BURST
    const bucket = this.#buckets.get(name) ?? { left: max, at: now }
    bucket.left = Math.min(max, bucket.left + ((now - bucket.at) / 1000) * this.#perSecond)
    bucket.at = now
    this.#buckets.set(name, bucket)
    if (bucket.left < 1) return false
    bucket.left--
    return true
  }
}

/** Accepted tokens, compared in constant time. */
class Tokens {
  readonly #digests: readonly Buffer[]

  constructor(tokens: readonly string[]) {
    this.#digests = tokens.map(digest)
  }

  /** True if no token is required. */
  get areNone(): boolean {
    return this.#digests.length === 0
  }

  /** Index of the request's token among the accepted ones; -1 for none or a wrong one, 0 if none is required. */
  bearer(authorization: string | null): number {
    if (this.areNone) return 0
    const [, token] = /^Bearer +(\S+)\s*$/i.exec(authorization ?? "") ?? []
    if (token === undefined) return -1
    const given = digest(token)
    let index = -1
    // All tokens are compared, so that the time does not depend on which one matches.
    for (const [at, accepted] of this.#digests.entries()) if (timingSafeEqual(accepted, given)) index = at
    return index
  }
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest()
}

type AllowedHosts = { readonly host: string; readonly also: readonly string[] }

/**
 * Protects against DNS rebinding: a page whose domain resolves to our address still sends its own name as
 * host. Allowed are names of this machine, the name listened on, and names the user allows. A server
 * reachable from other machines also accepts IP addresses, which a rebinding page cannot send.
 */
export function isAllowedHost(header: string | null, { host, also }: AllowedHosts): boolean {
  const name = hostnameOf(`http://${header ?? ""}`)
  if (name === null) return false
  if (isLoopback(name) || name === bareHost(host) || isNamed(name, also)) return true
  return !isLoopback(bareHost(host)) && isIP(name) !== 0
}

/** True if this origin may make requests; only browsers send one. */
export function isAllowedOrigin(header: string | null, { host, also }: AllowedHosts): boolean {
  if (header === null) return true
  const name = hostnameOf(header)
  if (name === null) return false
  return isLoopback(name) || (name === bareHost(host) && isIP(name) === 0) || isNamed(name, also)
}

function isNamed(name: string, list: readonly string[]): boolean {
  return list.some((each) => bareHost(each) === name)
}

function hostnameOf(url: string): string | null {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null
  // An origin with a path, query or user is refused: a browser sends scheme, name and port only.
  if (parsed.href !== `${parsed.origin}/`) return null
  return bareHost(parsed.hostname)
}

/** The host in lower case, without the brackets of an IPv6 address. */
function bareHost(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, "$1")
}
