import { z } from "zod"
import { contextText } from "../../app/context/bundle.ts"
import type { MemoryHints } from "../../app/context/memories.ts"
import { CONTEXT, contextRequest } from "../../verbs/code.ts"
import { READS_ONLY, toolResult } from "../render/tool-result.ts"
import description from "./context.md" with { type: "text" }
import type { ToolBox, ToolSession } from "./tool-box.ts"

const OUTPUT = z.object({
  summary: z.string().describe("What the answer contains"),
  files: z
    .array(
      z.object({
        repository: z.string().optional().describe("The other repository; pass it to read"),
        path: z.string(),
        snippets: z.array(
          z.object({
            text: z.string().describe("Code, or lines with places and signatures"),
            lines: z.string().describe('"10-40": the lines it shows or is about'),
            why: z.string().describe("Why it is included"),
          }),
        ),
      }),
    )
    .describe("Best first"),
  commits: z
    .array(z.object({ repository: z.string(), commit: z.string().nullable() }))
    .optional()
    .describe("Indexed commits of other repositories"),
  hints: z.array(z.string()).describe("Memories, what was left out and how to get it"),
  tokens: z.number().describe("Of this answer, in o200k_base tokens"),
})

export function registerContext(tools: ToolBox, session: ToolSession): void {
  const config = {
    title: "Context for a task",
    description,
    usual: ["query", "names", "max_tokens", "path"] as const,
    fields: CONTEXT,
    outputSchema: OUTPUT,
    annotations: READS_ONLY,
    isShownAtOnce: true,
  }
  const hints: MemoryHints = async (query, found) => {
    const { memoryHints } = await import("../../app/context/memories.ts")
    return session.withMemory((memory) => memoryHints(memory, query, found))
  }
  tools.register("context", config, (asked, call) =>
    toolResult(async () => {
      const asking = { memories: hints, signal: call.signal }
      const bundle = await session.source(asked.repository, call).context(contextRequest(asked), asking)
      return { text: contextText(bundle), structured: bundle }
    }),
  )
}
