import { join } from "node:path"
import { userDataDir } from "../base/paths.ts"
import { type ConfigFlags, type Environment, resolveSettings } from "./resolve.ts"

/** Settings of a server over HTTP. A project's file cannot change them. */
export type ServerConfig = {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Path of the file with the access tokens; "" means none. */
  readonly tokenFile: string
  readonly servesSse: boolean
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly maxSessions: number
  readonly sessionTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly maxBodyBytes: number
  /** Requests per second; 0: no limit. */
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

/** The user's settings for other repositories. A project's file cannot change them. */
export type ReposConfig = {
  readonly isEnabled: boolean
  /** Addresses of repositories as the user wrote them. */
  readonly urls: readonly string[]
  readonly baseDir: string
  readonly syncIntervalMs: number
  readonly syncTimeoutMs: number
  readonly maxFileBytes: number
  readonly maxResults: number
  /** Limits for one repository. */
  readonly limits: {
    readonly maxFiles: number
    readonly maxBytes: number
    readonly maxMs: number
    readonly maxMemoryBytes: number
  }
}

/** Throws USAGE for a wrong value, naming where it was written. */
export function loadReposConfig(flags: ConfigFlags = {}, env: Environment = process.env): ReposConfig {
  const { values } = resolveSettings(null, flags, env)
  return {
    isEnabled: values["repos.enabled"],
    urls: values["repos.urls"],
    baseDir: values["repos.base_dir"] || join(userDataDir(env), "repos"),
    syncIntervalMs: values["repos.sync_interval"],
    syncTimeoutMs: values["repos.sync_timeout"],
    maxFileBytes: values["repos.max_file_size"],
    maxResults: values["repos.max_results"],
    limits: {
      maxFiles: values["repos.max_files"],
      maxBytes: values["repos.max_size"],
      maxMs: values["repos.max_time"],
      maxMemoryBytes: values["repos.max_memory"],
    },
  }
}
