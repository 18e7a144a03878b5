import { type LocalSide, loadTeamSource, type Source, sourceOf, type ToolOptions } from "../../ask/index.ts"
import { log } from "../../base/index.ts"
import { teamName } from "../../index/index.ts"
import { serveCompletions, servePrompts } from "./prompts.ts"
import { serveResources } from "./resources/serve.ts"
import { showsViews } from "./resources/views.ts"
import type { ToolCallExtra } from "./session/call-progress.ts"
import type { Session } from "./session/session.ts"
import { capabilitiesOf, clientOf, type RegisterOffer } from "./session/session.ts"
import { registerContext, registerLog, registerRead, registerSymbol } from "./tools/code.ts"
import { registerManage, registerProjects, registerRepositories, registerStatus } from "./tools/manage.ts"
import { registerKnowledge, registerRecall, registerRemember } from "./tools/memory.ts"
import { record } from "./tools/record.ts"
import { registerSearch } from "./tools/search.ts"
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
  const inProject = (call?: ToolCallExtra) =>
    sourceOf((verb, request, asked) =>
      session.withCode((project: Source) => project[verb](request, asked), call),
    )
  return {
    source: (repository, call) => {
      const project = inProject(call)
      if (!repository?.trim()) return project
      const team = teamName(repository)
      if (team !== null) {
        const use: LocalSide["use"] = (act) =>
          session.withProject((served) => served.use((opened) => act(opened, served)))
        let source: Promise<Source> | null = null
        return sourceOf(async (verb, request, asked) => {
          source ??= loadTeamSource().then(({ teamSource }) => teamSource(team, { source: project, use }))
          return (await source)[verb](request, asked)
        })
      }
      return sourceOf(async (verb, request, { memories: _, ...others }) => {
        const roots = await session.roots()
        if (roots?.named(repository)) return roots.source(repository)[verb](request, others)
        return session.withRepositories((served) => served.source(repository)[verb](request, others))
      })
    },
    withProject: (act, call) => session.withCode(act, call),
    withMemory: (act) => session.withMemory(act),
  }
}
