import type { HttpOptions } from "../../app/http-options.ts"
import { log } from "../../base/log.ts"
import { version } from "../../base/version.ts"
import { isAllowedHost, isAllowedOrigin } from "./addresses.ts"
import { Rate } from "./rate.ts"
import { refusal } from "./refusal.ts"
import { Tokens } from "./tokens.ts"

// A token has more bits than anybody tries; this keeps guessing from costing anything.
const GUESSES_A_SECOND = 1
const HEADERS = "authorization, content-type, accept, mcp-session-id, mcp-protocol-version, last-event-id"

type Pass = (owner: number) => Promise<Response>

/** Who may ask: first where the request says it goes and comes from, then with which token, then how often. */
export class Guard {
  readonly #http: HttpOptions
  readonly #paths: ReadonlySet<string>
  readonly #tokens: Tokens
  readonly #rate: Rate
  readonly #guesses = new Rate(GUESSES_A_SECOND)

  constructor(http: HttpOptions) {
    this.#http = http
    this.#paths = new Set(["/mcp", ...(http.config.servesSse ? ["/sse", "/messages"] : [])])
    this.#tokens = new Tokens(http.tokens)
    this.#rate = new Rate(http.config.rate)
  }

  async pass(request: Request, server: Bun.Server<undefined>, pass: Pass): Promise<Response> {
    const { host, allowedHosts, allowedOrigins } = this.#http.config
    const origin = request.headers.get("origin")
    if (!isAllowedHost(request.headers.get("host"), { host, also: allowedHosts }))
      return refused("host", "this host is not served here: see server.allowed_hosts")
    if (!isAllowedOrigin(origin, { host, also: allowedOrigins }))
      return refused("origin", "pages of this origin may not ask: see server.allowed_origins")
    const response =
      request.method === "OPTIONS"
        ? new Response(null, { status: 204 })
        : await this.#admit(request, server, pass)
    return origin === null ? response : readableBy(origin, response)
  }

  #admit(request: Request, server: Bun.Server<undefined>, pass: Pass): Promise<Response> | Response {
    const { pathname } = new URL(request.url)
    const owner = this.#tokens.bearer(request.headers.get("authorization"))
    if (pathname === "/health") return Response.json({ status: "ok", ...(owner === -1 ? {} : { version }) })
    if (!this.#paths.has(pathname)) return refusal(404, { message: "nothing is served here: see /mcp" })
    const address = server.requestIP(request)?.address ?? "unknown"
    const now = performance.now()
    if (owner === -1) {
      if (!this.#guesses.takes(address, now)) return tooOften()
      log.warn("a request was refused", { reason: "token" })
      return refusal(
        401,
        { message: "a token is missing or wrong: Authorization: Bearer TOKEN" },
        { "www-authenticate": 'Bearer realm="aman"' },
      )
    }
    const client = request.headers.get("mcp-session-id") ?? new URL(request.url).searchParams.get("sessionId")
    if (!this.#rate.takes(client === null ? address : `${address} ${client}`, now)) return tooOften()
    // Answers may take long; how long a body may take is looked at where it is read.
    server.timeout(request, 0)
    return pass(owner)
  }
}

function refused(reason: string, message: string): Response {
  log.warn("a request was refused", { reason })
  return refusal(403, { message })
}

function tooOften(): Response {
  return refusal(429, { message: "too many requests: wait a second" }, { "retry-after": "1" })
}

/** Lets a page of that origin see the answer. */
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
