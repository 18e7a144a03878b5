import { serveCompletions } from "./completions.ts"
import { servePrompts } from "./prompts/serve.ts"
import { serveResources } from "./resources/serve.ts"
import type { Offer } from "./session/connection.ts"
import { registerContext } from "./tools/context.ts"
import { registerKnowledge } from "./tools/knowledge.ts"
import { registerProjects } from "./tools/projects.ts"
import { registerRead } from "./tools/read.ts"
import { registerRecall } from "./tools/recall.ts"
import { registerRemember } from "./tools/remember.ts"
import { registerRepositories } from "./tools/repositories.ts"
import { registerSearch } from "./tools/search.ts"
import { registerStatus } from "./tools/status.ts"
import { registerSymbol } from "./tools/symbol.ts"

/** Registers all tools, resources, prompts and completions. */
export const offerAman: Offer = (mcp, session) => {
  serveResources(mcp.server, session)
  registerContext(mcp, session)
  registerSearch(mcp, session)
  registerRead(mcp, session)
  registerSymbol(mcp, session)
  registerStatus(mcp, session)
  registerRemember(mcp, session)
  registerRecall(mcp, session)
  registerKnowledge(mcp, session)
  registerProjects(mcp)
  registerRepositories(mcp, session)
  servePrompts(mcp, session)
  serveCompletions(mcp.server, session)
}
