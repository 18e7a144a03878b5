import {
  type ClientCapabilities,
  type Implementation,
  type LoggingLevel,
  McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { type LogEvent, log } from "../../base/log.ts"
import { version } from "../../base/version.ts"
import instructions from "../instructions.md" with { type: "text" }
import type { Server } from "./server.ts"
import { Session, type SessionOptions, senderOf } from "./session.ts"

/** Registers tools, resources and prompts on a server before its client is connected. */
export type RegisterOffer = (mcp: McpServer, session: Session) => void

export type Connection = AsyncDisposable & { readonly mcp: McpServer; readonly session: Session }

// Lists that are the same in every call of a process; those of files change at any time.
const CONSTANT = { ttlMs: 300_000 }
const CACHE_HINTS = {
  "server/discover": { ...CONSTANT, cacheScope: "public" },
  "tools/list": { ...CONSTANT, cacheScope: "public" },
  "prompts/list": { ...CONSTANT, cacheScope: "public" },
  "resources/templates/list": { ...CONSTANT, cacheScope: "private" },
  "resources/list": { ttlMs: 0, cacheScope: "private" },
  "resources/read": { ttlMs: 0, cacheScope: "private" },
} as const

/**
 * The protocol layer for one client, to be connected to a transport; for versions without sessions over HTTP, for one
 * request.
 */
export function createConnection(server: Server, offer: RegisterOffer, options: SessionOptions): Connection {
  const mcp = new McpServer(
    { name: "aman", title: "aman: code search and memory", version },
    { instructions, cacheHints: CACHE_HINTS },
  )
  const session = new Session(server, mcp, options)
  const logging = options.era === "legacy" ? logToClient(mcp) : null
  offer(mcp, session)
  if (options.era === "legacy") {
    // Waits a tick: if both messages arrive together, the SDK handles "initialized" before it has read the
    // client's name from "initialize".
    mcp.server.oninitialized = () =>
      void setImmediate(() => mcp.isConnected() && session.start(mcp.server.getClientVersion()))
    mcp.server.setNotificationHandler("notifications/roots/list_changed", () => session.follow())
  }
  // Only the error's name is logged, because its message may contain what was sent, such as a query.
  mcp.server.onerror = (error) => log.warn("protocol error", { kind: error.name })
  return {
    mcp,
    session,
    [Symbol.asyncDispose]: async () => {
      logging?.[Symbol.dispose]()
      await mcp.close()
      await session[Symbol.asyncDispose]()
    },
  }
}

/** Name and version of the client of a request; undefined if it does not say. */
export function clientOf(mcp: McpServer, context: ServerContext): Implementation | undefined {
  return senderOf(context).client ?? mcp.server.getClientVersion()
}

/** Abilities that the client of a request declares; undefined before it has declared any. */
export function capabilitiesOf(mcp: McpServer, context: ServerContext): ClientCapabilities | undefined {
  return senderOf(context).capabilities ?? mcp.server.getClientCapabilities()
}

const LEVELS: Readonly<Record<LogEvent["level"], LoggingLevel>> = {
  error: "error",
  warn: "warning",
  info: "info",
  debug: "debug",
}
const ORDER: readonly LoggingLevel[] = [
  ...(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const),
]

/**
 * Sends log events to the client, too: those from the level that the client sets, or from "info" if it sets
 * none. Only for versions before 2026-07-28, which deprecates it.
 */
function logToClient({ server }: McpServer): Disposable {
  let minLevel: LoggingLevel = "info"
  server.registerCapabilities({ logging: {} })
  server.setRequestHandler("logging/setLevel", ({ params }) => {
    minLevel = params.level
    return {}
  })
  const sink = ({ level, text }: LogEvent) => {
    const asked = LEVELS[level]
    // Without a connected client the event is dropped, because logging must not fail and must not log its own failure.
    if (!server.transport || ORDER.indexOf(asked) < ORDER.indexOf(minLevel)) return
    const params = { level: asked, logger: "aman", data: text }
    server.notification({ method: "notifications/message", params }).catch(() => {})
  }
  log.sinks.add(sink)
  return { [Symbol.dispose]: () => void log.sinks.delete(sink) }
}
