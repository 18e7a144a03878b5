import { type ConfigFlags, type Environment, resolveSettings } from "./resolve.ts"

/** How a server over HTTP behaves. No project has a say in it. */
export type ServerConfig = {
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
  /** "": none. */
  readonly tokenFile: string
  readonly servesSse: boolean
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly maxSessions: number
  readonly sessionTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly maxBodyBytes: number
  /** Requests a second; 0: any number. */
  readonly rate: number
}

/** Throws USAGE for a wrong value, naming where it was written. */
export function loadServerConfig(flags: ConfigFlags = {}, env: Environment = process.env): ServerConfig {
  const { values } = resolveSettings(null, flags, env)
  return {
    host: values["server.host"],
    port: values["server.port"],
    tokenFile: values["server.token_file"],
    servesSse: values["server.sse"],
    allowedHosts: values["server.allowed_hosts"],
    allowedOrigins: values["server.allowed_origins"],
    maxSessions: values["server.max_sessions"],
    sessionTimeoutMs: values["server.session_timeout"],
    requestTimeoutMs: values["server.request_timeout"],
    maxBodyBytes: values["server.max_body"],
    rate: values["server.rate"],
  }
}
