import type { ServerConfig } from "../../config/load-server.ts"

/** Addresses of a running HTTP server. */
export type Listening = {
  readonly host: string
  readonly port: number
  readonly url: string
  /** URL of the older SSE endpoint; null if it is not served. */
  readonly sse_url: string | null
}

/** Options for starting an HTTP server. */
export type HttpOptions = {
  readonly config: ServerConfig
  /** Accepted bearer tokens; empty: every caller on this machine may connect. */
  readonly tokens: readonly string[]
  readonly onListening: (listening: Listening) => void
}
