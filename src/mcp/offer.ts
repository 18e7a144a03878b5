import type { ToolOptions } from "../app/project/serve-options.ts"
import { log } from "../base/log.ts"
import { serveCompletions } from "./completions.ts"
import { servePrompts } from "./prompts/serve.ts"
import { serveResources } from "./resources/serve.ts"
import { showsViews } from "./resources/views.ts"
import { capabilitiesOf, clientOf, type RegisterOffer } from "./session/connection.ts"
import type { Session } from "./session/session.ts"
import { registerContext } from "./tools/context.ts"
import { registerKnowledge } from "./tools/knowledge.ts"
import { registerLog } from "./tools/log.ts"
import { registerManage } from "./tools/manage.ts"
import { registerProjects } from "./tools/projects.ts"
import { registerRead } from "./tools/read.ts"
import { registerRecall } from "./tools/recall.ts"
import { record } from "./tools/record.ts"
import { registerRemember } from "./tools/remember.ts"
import { registerRepositories } from "./tools/repositories.ts"
import { registerSearch } from "./tools/search.ts"
import { registerStatus } from "./tools/status.ts"
import { registerSymbol } from "./tools/symbol.ts"
import { ToolBox, type ToolSession } from "./tools/tool-box.ts"

/**
 * Registers all tools, resources, prompts and completions; `options` say which tools are listed, `viewPage` returns the
 * HTML of the view.
 */
export const offerAman =
  (options: ToolOptions, viewPage: () => Promise<string>): RegisterOffer =>
  (mcp, session) => {
    const tools = new ToolBox(options)
    serveResources(mcp, session, viewPage)
    const code = codeSession(session)
    registerContext(tools, code)
    registerSearch(tools, code)
    registerRead(tools, code)
    registerSymbol(tools, code)
    registerLog(tools, session)
    registerStatus(tools, session)
    registerRemember(tools, session)
    registerRecall(tools, session)
    registerKnowledge(tools, session)
    registerProjects(tools, session)
    registerRepositories(tools, session)
    registerManage(tools)
    tools.serve(mcp, {
      showsViews: (context) => showsViews(capabilitiesOf(mcp, context)),
      question: (context) => session.question(context),
      notes: () => session.takeUnservedFolders(),
      onAnswered: (call, context) => {
        record(session, clientOf(mcp, context)?.name ?? "unknown", call).catch((error: unknown) =>
          log.warn("a call was not recorded", { message: String(error) }),
        )
      },
    })
    servePrompts(mcp, session)
    serveCompletions(mcp, session)
  }

/** The session for questions about code: they go to all projects of the workspace. */
function codeSession(session: Session): ToolSession {
  return {
    withProject: (act, call) => session.withCode(act, call),
    withRepositories: (act) =>
      session.withRepositories(async (served) => {
        const roots = await session.roots()
        return act(roots === null ? served : roots.withRepositories(served))
      }),
    withMemory: (act) => session.withMemory(act),
  }
}
