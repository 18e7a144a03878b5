import type { Server as SdkServer } from "@modelcontextprotocol/sdk/server/index.js"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import {
  type LoggingLevel,
  LoggingLevelSchema,
  RootsListChangedNotificationSchema,
  SetLevelRequestSchema,
} from "@modelcontextprotocol/sdk/types.js"
import { type LogEvent, log } from "../../base/log.ts"
import { version } from "../../base/version.ts"
import instructions from "../instructions.md" with { type: "text" }
import type { Server } from "./server.ts"
import { Session } from "./session.ts"

/** Registers tools, resources and prompts on a server before its client is connected. */
export type RegisterOffer = (mcp: McpServer, session: Session) => void

export type Connection = AsyncDisposable & { readonly mcp: McpServer; readonly session: Session }

/** Opens the protocol layer for one client over any transport. */
export async function openConnection(
  server: Server,
  offer: RegisterOffer,
  transport: Transport,
): Promise<Connection> {
  const mcp = new McpServer(
    { name: "aman", title: "aman: code search and memory", version },
    { instructions },
  )
  const session = new Session(server, mcp.server)
  const logging = logToClient(mcp.server)
  offer(mcp, session)
  const start = () => {
    if (!mcp.isConnected()) return
    const client = mcp.server.getClientVersion()
    log.info("connected", { client: client?.name, version: client?.version })
    session.start()
    server.startSync()
  }
  // Waits a tick: if both messages arrive together, the SDK handles "initialized" before it has read the
  // client's name from "initialize".
  mcp.server.oninitialized = () => void setImmediate(start)
  mcp.server.setNotificationHandler(RootsListChangedNotificationSchema, () => session.follow())
  // Only the error's name is logged, because its message may contain what was sent, such as a query.
  mcp.server.onerror = (error) => log.warn("protocol error", { kind: error.name })
  await mcp.connect(transport)
  return {
    mcp,
    session,
    [Symbol.asyncDispose]: async () => {
      logging[Symbol.dispose]()
      await mcp.close()
      await session[Symbol.asyncDispose]()
      log.info("disconnected")
    },
  }
}

const LEVELS: Readonly<Record<LogEvent["level"], LoggingLevel>> = {
  error: "error",
  warn: "warning",
  info: "info",
  debug: "debug",
}
// Levels in order of severity, "debug" first.
const ORDER = LoggingLevelSchema.options

/**
 * Sends log events to the client, too: those from the level that the client sets, or from "info" if it sets
 * none.
 */
function logToClient(server: SdkServer): Disposable {
  let minLevel: LoggingLevel = "info"
  server.registerCapabilities({ logging: {} })
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
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
