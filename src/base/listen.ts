import { isIP } from "node:net"
import { AmanError } from "./errors.ts"

type ListenOptions = {
  readonly hostname: string
  /** Port number; 0 means any free port. */
  readonly port: number
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  /** Seconds after which a connection without traffic is closed. */
  readonly idleTimeout: number
  readonly maxRequestBodySize: number
  /** Answers a request whose `url` can be parsed. */
  readonly fetch: (request: Request, server: Bun.Server<undefined>) => Promise<Response> | Response
  /** The response to a request whose handler threw. */
  readonly error?: (error: Error) => Response
}

/** Starts an HTTP server. Throws IO if the port cannot be used. */
export function listen({ tls, error, fetch, ...options }: ListenOptions): Bun.Server<undefined> {
  try {
    return Bun.serve({
      ...options,
      // A request with a malformed Host header has no valid address.
      fetch: (request, server) =>
        URL.canParse(request.url)
          ? fetch(request, server)
          : new Response("the Host header is malformed", { status: 400 }),
      ...(tls === undefined ? {} : { tls }),
      ...(error === undefined ? {} : { error }),
      development: false,
      // Without this, two servers could share the port, although each has its own tokens.
      reusePort: false,
    })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AmanError("IO", `cannot listen on ${options.hostname} port ${options.port}: ${reason}`, {
      hint: "another program may use the port; to choose a free one: --port 0",
      cause,
    })
  }
}

/** True when a host with this name can only be this machine. The name may be an IPv6 address with or without brackets. */
export function isLoopback(name: string): boolean {
  if (name === "localhost" || name === "::1" || name === "[::1]") return true
  return isIP(name) === 4 && name.startsWith("127.")
}
