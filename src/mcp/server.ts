import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import type { ProjectOptions } from "../app/open-project.ts"
import { log } from "../base/log.ts"
import { version } from "../base/version.ts"
import { logToClient } from "./client-log.ts"
import instructions from "./instructions.md" with { type: "text" }
import { Memories } from "./memories.ts"
import { Repositories } from "./repositories.ts"
import { serveResources } from "./resources.ts"
import { Session } from "./session.ts"
import { registerKnowledge } from "./tools/knowledge.ts"
import { registerProjects } from "./tools/projects.ts"
import { registerRead } from "./tools/read.ts"
import { registerRecall } from "./tools/recall.ts"
import { registerRemember } from "./tools/remember.ts"
import { registerRepositories } from "./tools/repositories.ts"
import { registerSearch } from "./tools/search.ts"
import { registerStatus } from "./tools/status.ts"
import { registerSymbol } from "./tools/symbol.ts"

/** Serves one project over stdin and stdout until stdin closes; nothing is opened before the client is connected. */
export async function serveStdio(options: ProjectOptions, signal: AbortSignal): Promise<void> {
  const server = new McpServer(
    { name: "aman", title: "aman: code search and memory", version },
    { instructions },
  )
  await using session = new Session(options, server.server)
  await using memories = new Memories(session)
  await using repositories = new Repositories(session)
  using _ = logToClient(server.server)
  serveResources(server.server, session)
  registerSearch(server, session, repositories)
  registerRead(server, session, repositories)
  registerSymbol(server, session)
  registerStatus(server, session)
  registerRemember(server, memories)
  registerRecall(server, memories)
  registerKnowledge(server, memories)
  registerProjects(server)
  registerRepositories(server, repositories)
  server.server.oninitialized = () => {
    const client = server.server.getClientVersion()
    log.info("connected", { client: client?.name, version: client?.version })
    session.start()
    repositories.start()
  }
  // Its message may repeat what was sent, a query for one.
  server.server.onerror = (error) => log.warn("protocol error", { kind: error.name })
  const ended = endOfInput(signal)
  await server.connect(new StdioServerTransport())
  await ended
  await session.settle()
  await server.close()
  log.info("disconnected")
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
