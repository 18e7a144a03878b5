import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { RootsListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import { log } from "../base/log.ts"
import { version } from "../base/version.ts"
import { logToClient } from "./client-log.ts"
import type { Home } from "./home.ts"
import instructions from "./instructions.md" with { type: "text" }
import { Session } from "./session.ts"

/** Puts tools, resources and prompts on a server before its client is connected. */
export type Offer = (server: McpServer, session: Session) => void

export type Connection = AsyncDisposable & { readonly server: McpServer; readonly session: Session }

/** The protocol layer of one client, whatever is offered over it and however its messages come. */
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
  // Where both messages come at once, the SDK hears of this one before it has read who the client is.
  server.server.oninitialized = () => void setImmediate(start)
  server.server.setNotificationHandler(RootsListChangedNotificationSchema, () => session.follow())
  // Its message may repeat what was sent, a query for one.
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
