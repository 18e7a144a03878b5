import { serveCompletions } from "./completions.ts"
import { servePrompts } from "./prompts/serve.ts"
import { serveResources } from "./resources/serve.ts"
import type { Offer } from "./session/connection.ts"
import { Memories } from "./session/memories.ts"
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
export const offerAman: Offer = (server, session) => {
  const { repositories } = session.home
  const memories = new Memories(session)
  serveResources(server.server, session, memories)
  registerContext(server, { session, repositories, memories })
  registerSearch(server, session, repositories)
  registerRead(server, session, repositories)
  registerSymbol(server, session)
  registerStatus(server, session)
  registerRemember(server, memories)
  registerRecall(server, memories)
  registerKnowledge(server, memories)
  registerProjects(server)
  registerRepositories(server, repositories)
  servePrompts(server, session, memories)
  serveCompletions(server.server, session, memories)
}
