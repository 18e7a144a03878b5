import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import type { ProjectOptions } from "../app/open-project.ts"
import { log } from "../base/log.ts"
import { version } from "../base/version.ts"
import instructions from "./instructions.md" with { type: "text" }
import { Session } from "./session.ts"
import { registerRead } from "./tools/read.ts"
import { registerSearch } from "./tools/search.ts"
import { registerStatus } from "./tools/status.ts"

/** Serves one project over stdin and stdout until stdin closes; nothing is opened before the client is connected. */
export async function serveStdio(options: ProjectOptions, signal: AbortSignal): Promise<void> {
  const server = new McpServer({ name: "aman", title: "aman code search", version }, { instructions })
  await using session = new Session(options, server.server)
  registerSearch(server, session)
  registerRead(server, session)
  registerStatus(server, session)
  server.server.oninitialized = () => session.start()
  server.server.onerror = (error) => log.warn("protocol error", { message: error.message })
  const ended = endOfInput(signal)
  await server.connect(new StdioServerTransport())
  await ended
  await session.settle()
  await server.close()
}

/** The client is gone when stdin closes; the SDK's transport does not look. */
function endOfInput(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once("end", resolve)
    process.stdin.once("close", resolve)
    process.stdout.once("error", () => resolve())
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
}
