import { join } from "node:path"
import { userDataDir } from "../paths.ts"
import { type ConfigFlags, type Environment, resolveSettings } from "./resolve.ts"

/** Settings of the HTTP server. The settings file of a project cannot change them. */
export type ServerConfig = {
  readonly host: string
  /** Port number; 0 means any free port. */
  readonly port: number
  /** Path of the file with the access tokens; "" if there is none. */
  readonly tokenFile: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly maxSessions: number
  readonly sessionTimeoutMs: number
  readonly requestTimeoutMs: number
  /** Maximum number of requests per second; 0 means no limit. */
  readonly rate: number
}

/** Reads the settings of the HTTP server. Throws USAGE for an invalid value, and says where it was written. */
export function loadServerConfig(flags: ConfigFlags = {}, env: Environment = process.env): ServerConfig {
  const { values } = resolveSettings(null, flags, env)
  return {
    host: values["server.host"],
    port: values["server.port"],
    tokenFile: values["server.token_file"],
    allowedHosts: values["server.allowed_hosts"],
    allowedOrigins: values["server.allowed_origins"],
    maxSessions: values["server.max_sessions"],
    sessionTimeoutMs: values["server.session_timeout"],
    requestTimeoutMs: values["server.request_timeout"],
    rate: values["server.rate"],
  }
}

/** The user's settings for other repositories. The settings file of a project cannot change them. */
export type ReposConfig = {
  /** Addresses of the repositories, as the user wrote them. */
  readonly urls: readonly string[]
  readonly baseDir: string
  readonly syncIntervalMs: number
  /** Limits for one repository. */
  readonly limits: {
    readonly maxFiles: number
    readonly maxBytes: number
    readonly maxMs: number
    readonly maxMemoryBytes: number
  }
}

/** Memory in bytes that git needs for small repositories. */
const MIN_GIT_BYTES = 64 * 1024 ** 2

/** Reads the settings for other repositories. Throws USAGE for an invalid value, and says where it was written. */
export function loadReposConfig(flags: ConfigFlags = {}, env: Environment = process.env): ReposConfig {
  const { values } = resolveSettings(null, flags, env)
  return {
    urls: values["repos.urls"],
    baseDir: join(userDataDir(env), "repos"),
    syncIntervalMs: values["repos.sync_interval"],
    limits: {
      maxFiles: values["repos.max_files"],
      maxBytes: values["repos.max_size"],
      maxMs: values["repos.max_time"],
      maxMemoryBytes: Math.max(MIN_GIT_BYTES, values["repos.max_size"] / 4),
    },
  }
}
