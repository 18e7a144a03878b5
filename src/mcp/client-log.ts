import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import {
  type LoggingLevel,
  LoggingLevelSchema,
  SetLevelRequestSchema,
} from "@modelcontextprotocol/sdk/types.js"
import { type LogEvent, log } from "../base/log.ts"

const LEVELS: Readonly<Record<LogEvent["level"], LoggingLevel>> = {
  error: "error",
  warn: "warning",
  info: "info",
  debug: "debug",
}
// From the least grave to the gravest.
const ORDER = LoggingLevelSchema.options

/** What happens is told to the client too, from the level on that it asks for; from info on if it asks for none. */
export function logToClient(server: Server): Disposable {
  let least: LoggingLevel = "info"
  server.registerCapabilities({ logging: {} })
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    least = params.level
    return {}
  })
  const sink = ({ level, text }: LogEvent) => {
    const asked = LEVELS[level]
    // The log must not fail because nobody listens any more, nor tell of it.
    if (!server.transport || ORDER.indexOf(asked) < ORDER.indexOf(least)) return
    const params = { level: asked, logger: "aman", data: text }
    server.notification({ method: "notifications/message", params }).catch(() => {})
  }
  log.sinks.add(sink)
  return { [Symbol.dispose]: () => void log.sinks.delete(sink) }
}
