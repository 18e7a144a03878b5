import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { z } from "zod"
import { RELATIONS, type SymbolRequest } from "../../app/symbols/symbol-answer.ts"
import { symbolText } from "../render/symbol-text.ts"
import { INDEX_SHARE, READS_ONLY, toolResult } from "../render/tool-result.ts"
import type { Session } from "../session/session.ts"
import description from "./symbol.md" with { type: "text" }

const INPUT = {
  name: z
    .string()
    .max(1000)
    .optional()
    .describe("A name or Owner.name; not needed for outline, unused, central, and an impact of diff"),
  relation: z
    .enum(RELATIONS)
    .default("definition")
    .describe("What to tell of it: its definition, or what stands in that relation to it"),
  path: z
    .string()
    .max(4096)
    .optional()
    .describe("Only what this file, or a file below this folder, defines; the file of an outline"),
  depth: z.number().int().min(1).max(5).default(1).describe("Steps along callers or callees"),
  diff: z
    .string()
    .max(1000)
    .optional()
    .describe(
      "With impact: all that differs from this git revision (HEAD: what is not committed), or a range a..b",
    ),
  limit: z.number().int().min(1).max(500).default(50).describe("At most so many places"),
  offset: z
    .number()
    .int()
    .min(0)
    .max(100_000)
    .default(0)
    .describe("Go on after so many: next_offset of before"),
}

const PLACE = {
  name: z.string(),
  kind: z.string(),
  path: z.string(),
  start_line: z.number(),
  end_line: z.number(),
}
const USE = z.looseObject({
  path: z.string(),
  line: z.number(),
  kind: z.enum(["call", "import", "inherits", "mention"]),
  within: z.string().nullable().describe("The function or type that it stands in"),
  confidence: z.number().describe("0 to 1"),
  text: z.string(),
})

const OUTPUT = z.looseObject({
  name: z.string().nullable(),
  relation: z.enum(RELATIONS),
  definitions: z.array(
    z.looseObject({
      ...PLACE,
      signature: z.string(),
      doc: z.string().nullable(),
      language: z.string(),
      centrality: z.number(),
    }),
  ),
  related: z
    .array(
      z.looseObject({
        ...PLACE,
        depth: z.number(),
        confidence: z.number(),
        lines: z.array(z.number()),
        centrality: z.number().optional(),
      }),
    )
    .describe("Callers, callees, implementations, what is affected, what nothing uses, or what is central"),
  references: z.array(USE).describe("References; of callers, calls outside of any function"),
  outline: z.array(z.looseObject({ ...PLACE, signature: z.string(), level: z.number() })),
  tests: z.array(z.string()).describe("Of an impact: files of tests that reach it"),
  files: z.array(z.string()).describe("Of an impact: other files that are affected"),
  total: z.number(),
  unseen_files: z
    .number()
    .describe(
      "Files that use the name, of callees definitions of it, that were not looked at yet; next_offset goes on with them",
    ),
  next_offset: z.number().nullable(),
  unresolved: z
    .looseObject({ total: z.number(), places: z.array(USE) })
    .describe("Uses of the name that could not be tied to any definition: they may or may not be meant"),
  partial: INDEX_SHARE,
  took_ms: z.number(),
  notices: z.array(z.string()),
})

export function registerSymbol(server: McpServer, session: Session): void {
  const config = {
    title: "Follow a symbol",
    description,
    inputSchema: z.strictObject(INPUT),
    outputSchema: OUTPUT,
    annotations: READS_ONLY,
  }
  server.registerTool("symbol", config, (asked, call) =>
    toolResult(async () => {
      const request: SymbolRequest = asked.diff === undefined ? asked : { ...asked, relation: "impact" }
      const structured = await session.withProject((project) => project.symbol(request, call.signal), call)
      return { text: symbolText(structured), structured }
    }),
  )
}
