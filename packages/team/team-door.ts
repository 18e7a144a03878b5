import {
  createMcpHandler,
  isJSONRPCRequest,
  isLegacyRequest,
  McpServer,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import { AmanError, version } from "../../src/base/index.ts"
import {
  messagesIn,
  refusal,
  registerContext,
  registerRead,
  registerSearch,
  registerSymbol,
  ToolBox,
  type ToolSession,
  valuesProblem,
  withArguments,
} from "../../src/doors/index.ts"
import { ALL } from "../../src/index/index.ts"
import type { TeamNode } from "./node/node.ts"

const INSTRUCTIONS =
  "Code of the team's repositories that you may read. Without `repository`, search, context and symbol cover all of them; read needs the repository that a result names."

// The list of tools is the same for everybody, as long as the node runs.
const CONSTANT = { ttlMs: 300_000, cacheScope: "public" } as const

type Principal = Parameters<TeamNode["source"]>[0]

/**
 * Answers one message to a team's query node: the tools search, context, symbol and read, with the rights of the
 * principal. No state is kept between messages, so that any node can answer any of them.
 */
export async function answerMcp(node: TeamNode, who: Principal, request: Request): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } })
  const messages = messagesIn(await request.json().catch(() => null))
  if (messages instanceof Response) return messages
  const problem = valuesProblem(messages)
  if (problem !== null) return refusal(400, { code: ProtocolErrorCode.InvalidRequest, message: problem })
  const read = messages.map((message) => (isJSONRPCRequest(message) ? withArguments(message) : message))
  const parsedBody = read.length === 1 ? read[0] : read
  if (!(await isLegacyRequest(request, parsedBody))) {
    // Nothing changes that a client could listen to, so no stream is opened.
    const options = { legacy: "reject", maxSubscriptions: 0 } as const
    return await createMcpHandler(() => teamServer(node, who), options).fetch(request, { parsedBody })
  }
  const mcp = teamServer(node, who)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await mcp.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody })
  } finally {
    await mcp.close()
  }
}

function teamServer(node: TeamNode, who: Principal): McpServer {
  const mcp = new McpServer(
    { name: "aman", title: "aman: code of the team", version },
    {
      instructions: INSTRUCTIONS,
      cacheHints: { "tools/list": CONSTANT, "server/discover": CONSTANT },
    },
  )
  const tools = new ToolBox({ profile: "full", isStructured: false })
  const session = teamSession(node, who)
  registerSearch(tools, session)
  registerContext(tools, session)
  registerSymbol(tools, session)
  registerRead(tools, session)
  tools.serve(mcp)
  return mcp
}

function teamSession(node: TeamNode, who: Principal): ToolSession {
  return {
    source: (repository) => {
      const source = node.source(who, repository?.trim() || ALL)
      return repository?.trim() ? source : { ...source, read: () => Promise.reject(unnamed()) }
    },
    withProject: (act) => act({ untilIndexed: async () => {}, whyNot: () => Promise.reject(unnamed()) }),
    withMemory: () => Promise.reject(new AmanError("USAGE", "a query node answers about code only")),
  }
}

function unnamed(): AmanError {
  return new AmanError("USAGE", "a query node has no project of its own", {
    hint: "give the repository that a search result names",
  })
}
