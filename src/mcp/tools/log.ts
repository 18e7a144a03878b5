import { z } from "zod"
import { DATA_NOTICE } from "../../text/fence.ts"
import { LOG } from "../../verbs/code.ts"
import { READS_ONLY, toolResult } from "../render/tool-result.ts"
import type { Session } from "../session/session.ts"
import description from "./log.md" with { type: "text" }
import type { ToolBox } from "./tool-box.ts"

const OUTPUT = z.looseObject({
  what: z.string(),
  places: z.array(
    z.looseObject({
      path: z.string(),
      name: z.string().nullable(),
      start_line: z.number().nullable(),
      end_line: z.number().nullable(),
      is_edited: z.boolean().describe("Differs from the last commit"),
      commits: z.array(
        z.looseObject({
          id: z.string(),
          date: z.string(),
          author: z.string(),
          subject: z.string(),
          body: z.string(),
          pull_requests: z.array(z.string()),
        }),
      ),
    }),
  ),
  memories: z.array(z.looseObject({ id: z.string(), text: z.string() })),
  notices: z.array(z.string()),
})

/** This tool is not listed by default; agents reach it through `manage`. */
export function registerLog(tools: ToolBox, session: Session): void {
  const config = {
    title: "Why code is as it is",
    description,
    usual: ["what", "limit"] as const,
    fields: LOG,
    outputSchema: OUTPUT,
    annotations: READS_ONLY,
  }
  tools.register("log", config, ({ repository, ...request }, call) =>
    toolResult(async () => {
      const { memoriesAbout } = await import("../../app/context/memories.ts")
      const { logText } = await import("../../app/symbols/code-log.ts")
      const answer = await session.withProject(async (project) => {
        const roots = await session.roots()
        if (roots !== null) return roots.log({ ...request, repository }, call.signal)
        const { withMemory } = await session.chooseRoot(repository)
        const about = (paths: readonly string[], names: readonly string[]) =>
          withMemory((memory) => memoriesAbout(memory, paths, names))
        return project.log(request, about, call.signal)
      }, call)
      const notices = answer.notices.map((notice) => `Note: ${notice}`)
      return { text: [DATA_NOTICE, logText(answer), ...notices].join("\n\n"), structured: answer }
    }),
  )
}
