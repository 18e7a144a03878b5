import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
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
import type { Home } from "./home.ts"
import { Session } from "./session.ts"

/** Registers tools, resources and prompts on a server before its client is connected. */
export type Offer = (server: McpServer, session: Session) => void

export type Connection = AsyncDisposable & { readonly server: McpServer; readonly session: Session }

/** Opens the protocol layer for one client over any transport. */
export async function openConnection(home: Home, offer: Offer, transport: Transport): Promise<Connection> {
  const server = new McpServer(
    { name: "aman", title: "aman: code search and memory", version },
    { instructions },
  )
  const session = new Session(home, server.server)
  const logging = logToClient(server.server)
  offer(server, session)
  const start = () => {
    if (!server.isConnected()) return
    const client = server.server.getClientVersion()
    log.info("connected", { client: client?.name, version: client?.version })
    session.start()
    home.repositories.start()
  }
  // If both messages arrive together, the SDK handles this one before it has read the client's name.
  server.server.oninitialized = () => void setImmediate(start)
  server.server.setNotificationHandler(RootsListChangedNotificationSchema, () => session.follow())
  // Only the error's name is logged, because its message may contain what was sent, such as a query.
  server.server.onerror = (error) => log.warn("protocol error", { kind: error.name })
  await server.connect(transport)
  return {
    server,
    session,
    [Symbol.asyncDispose]: async () => {
      logging[Symbol.dispose]()
      await server.close()
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
// In order of severity, minLevel first.
const ORDER = LoggingLevelSchema.options

/** Sends log events to the client, too, from the level it sets; from "info" by default. */
function logToClient(server: Server): Disposable {
  let minLevel: LoggingLevel = "info"
  server.registerCapabilities({ logging: {} })
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    minLevel = params.level
    return {}
  })
  const sink = ({ level, text }: LogEvent) => {
    const asked = LEVELS[level]
    // Without a client the event is dropped: logging must not fail or log that.
    if (!server.transport || ORDER.indexOf(asked) < ORDER.indexOf(minLevel)) return
    const params = { level: asked, logger: "aman", data: text }
    server.notification({ method: "notifications/message", params }).catch(() => {})
  }
  log.sinks.add(sink)
  return { [Symbol.dispose]: () => void log.sinks.delete(sink) }
}
