import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/sdk/types.js"
import { AmanError } from "../base/errors.ts"
import { log } from "../base/log.ts"
import { agentHint } from "./agent-hint.ts"

/** Every tool so far: it looks, changes nothing, and knows nothing beyond the project. */
export const READS_ONLY: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

type Rendered = { readonly text: string; readonly structured: object }

/** The answer of a tool, or what went wrong in words a model can act on. */
export async function toolResult(answer: () => Promise<Rendered>): Promise<CallToolResult> {
  try {
    const { text, structured } = await answer()
    return { content: [{ type: "text", text }], structuredContent: { ...structured } }
  } catch (error) {
    return { content: [{ type: "text", text: failureText(error) }], isError: true }
  }
}

function failureText(error: unknown): string {
  if (error instanceof AmanError)
    return error.hint ? `${error.message}\nhint: ${agentHint(error.hint)}` : error.message
  if (isCancelled(error)) return "cancelled"
  log.error("a tool failed", {
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
  return `aman failed: ${error instanceof Error ? error.message : String(error)}`
}

/** What a signal throws: its reason, which a client sends as a text, or an error of this name. */
function isCancelled(error: unknown): boolean {
  return !(error instanceof Error) || error.name === "AbortError"
}
