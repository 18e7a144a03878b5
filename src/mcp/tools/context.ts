import { z } from "zod"
import { contextText } from "../../app/context/bundle.ts"
import type { MemoryHints } from "../../app/context/memories.ts"
import { CONTEXT_LIMITS, type ContextRequest } from "../../app/context/request.ts"
import { NAMES, nameList } from "../entry-fields.ts"
import { READS_ONLY, toolResult } from "../render/tool-result.ts"
import description from "./context.md" with { type: "text" }
import type { ToolBox, ToolSession } from "./tool-box.ts"

const MAX_CHARACTERS = 200_000
const { tokens, files } = CONTEXT_LIMITS

const INPUT = {
  query: z
    .string()
    .max(MAX_CHARACTERS)
    .default("")
    .describe("The task in plain words, or an issue as it is; empty: an overview"),
  names: NAMES,
  max_tokens: z
    .number()
    .int()
    .min(tokens.min)
    .max(tokens.max)
    .default(tokens.usual)
    .describe("Token limit of the whole answer"),
  max_files: z
    .number()
    .int()
    .min(1)
    .max(files.max)
    .optional()
    .describe("At most this many files (default: as many as fit)"),
  path: nameList("Only this folder or glob, e.g. src/auth"),
  repository: z
    .string()
    .max(1000)
    .optional()
    .describe('Use other repositories whose name contains this, "*" for all (default: this project)'),
  include_related: z.boolean().default(true).describe("Callers, callees and latest commits"),
  include_tests: z.boolean().default(true).describe("Tests that cover it"),
  include_memories: z.boolean().default(true).describe("Related memories"),
}

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
    inputSchema: z.strictObject(INPUT),
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
      const request: ContextRequest = {
        query: asked.query,
        names: asked.names === undefined ? [] : [asked.names].flat(),
        maxTokens: asked.max_tokens,
        maxFiles: asked.max_files,
        paths: asked.path === undefined ? [] : [asked.path].flat().filter((each) => each.trim() !== ""),
        related: asked.include_related,
        tests: asked.include_tests,
        memories: asked.include_memories,
      }
      const asking = { memories: hints, signal: call.signal }
      const bundle = await session.source(asked.repository, call).context(request, asking)
      return { text: contextText(bundle), structured: bundle }
    }),
  )
}
