import { z } from "zod"
import { RELATIONS } from "../../app/symbols/symbol-answer.ts"
import { SYMBOL, symbolRequest } from "../../verbs/code.ts"
import { symbolText } from "../render/symbol-text.ts"
import { INDEX_SHARE, READS_ONLY, toolResult } from "../render/tool-result.ts"
import description from "./symbol.md" with { type: "text" }
import type { ToolBox, ToolSession } from "./tool-box.ts"

const PLACE = {
  repository: z.string().optional().describe("The other repository; pass it to read"),
  name: z.string(),
  kind: z.string(),
  path: z.string(),
  start_line: z.number(),
  end_line: z.number(),
}
const USE = z.looseObject({
  repository: z.string().optional(),
  path: z.string(),
  line: z.number(),
  kind: z.enum(["call", "import", "inherits", "mention"]),
  within: z.string().nullable().describe("The function or type that contains it"),
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
        reason: z.string().optional(),
      }),
    )
    .describe("Callers, callees, implementations, affected, unused or central symbols"),
  references: z.array(USE).describe("References; for callers: calls outside of any function"),
  outline: z.array(z.looseObject({ ...PLACE, signature: z.string(), level: z.number() })),
  tests: z.array(z.string()).describe("For impact: test files that reach it"),
  files: z.array(z.string()).describe("For impact: other affected files"),
  total: z.number(),
  unseen_files: z
    .number()
    .describe(
      "Files that use the name (for callees: definitions) that were not checked yet; continue with next_offset",
    ),
  next_offset: z.number().nullable(),
  unresolved: z
    .looseObject({ total: z.number(), places: z.array(USE) })
    .describe("Unresolved uses of the name: they may or may not refer to it"),
  other_uses: z
    .number()
    .describe("Uses of the name (for callers: calls) that mean something else, such as another definition"),
  partial: INDEX_SHARE,
  took_ms: z.number(),
  notices: z.array(z.string()),
})

export function registerSymbol(tools: ToolBox, session: ToolSession): void {
  const config = {
    title: "Follow a symbol",
    description,
    usual: ["name", "relation", "path", "depth", "diff"] as const,
    fields: SYMBOL,
    outputSchema: OUTPUT,
    annotations: READS_ONLY,
    hasView: true,
  }
  tools.register("symbol", config, (asked, call) =>
    toolResult(async () => {
      const source = session.source(asked.repository, call)
      const structured = await source.symbol(symbolRequest(asked), { signal: call.signal })
      return { text: symbolText(structured), structured }
    }),
  )
}
