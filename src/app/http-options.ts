import type { ServerConfig } from "../config/load-server.ts"

/** Where a server over HTTP can be reached. */
export type Listening = {
  readonly host: string
  readonly port: number
  readonly url: string
  /** Of the older endpoints, where they are served. */
  readonly sse_url: string | null
}

/** What a server over HTTP is started with. */
export type HttpOptions = {
  readonly config: ServerConfig
  /** Who has one of these may ask; none: everybody on this machine. */
  readonly tokens: readonly string[]
  readonly onListening: (listening: Listening) => void
}
